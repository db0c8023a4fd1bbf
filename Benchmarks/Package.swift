// swift-tools-version: 6.2
import PackageDescription

// The benchmarks of `scripts/bench`, which builds them beside the program: with `--scratch-path .build`, the modules of
// CacheReplay are compiled once. The module of the command brings the modules that it is made of.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CacheReplay", path: "..")],
    targets: [
        .executableTarget(
            name: "CacheReplayBenchmarks",
            dependencies: [
                .product(name: "CacheReplayCommand", package: "CacheReplay"),
                .product(name: "CacheReplayTesting", package: "CacheReplay"),
            ])
    ]
)
