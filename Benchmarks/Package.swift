// swift-tools-version: 6.2
import PackageDescription

// The benchmarks of `scripts/bench`, which builds them beside the program: with `--scratch-path .build`, the modules of
// CacheReplay are compiled once.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CacheReplay", path: "..")],
    targets: [
        .executableTarget(
            name: "CacheReplayBenchmarks",
            dependencies: [
                .product(name: "BenchmarkedModules", package: "CacheReplay"),
                .product(name: "CacheReplayTesting", package: "CacheReplay"),
                .product(name: "ImageLibraries", package: "CacheReplay"),
                .product(name: "MeasuredTiers", package: "CacheReplay"),
                .product(name: "TraceSynthesis", package: "CacheReplay"),
            ])
    ]
)
