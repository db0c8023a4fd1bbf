// swift-tools-version: 6.1
import PackageDescription

// Fuzzers of every parser; scripts/fuzz builds and runs them. A package of its own, because ordinary builds must not
// have the instrumentation, and no macOS toolchain of Xcode's has libFuzzer.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CacheReplay", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "SessionModel", package: "CacheReplay"),
                .product(name: "CacheTraces", package: "CacheReplay"),
                .product(name: "TraceAnalysis", package: "CacheReplay"),
                .product(name: "CachePolicies", package: "CacheReplay"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ]
)
