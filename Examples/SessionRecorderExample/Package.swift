// swift-tools-version: 6.2
import PackageDescription

// A program that records its own downloads: `swift run SessionRecorderExample TRACE.jsonl URL...`.
let package = Package(
    name: "SessionRecorderExample",
    platforms: [.macOS(.v15)],
    // Outside this repository: .package(url: "…/CacheReplay", from: "…").
    dependencies: [.package(name: "CacheReplay", path: "../..")],
    targets: [
        .executableTarget(
            name: "SessionRecorderExample",
            dependencies: [.product(name: "SessionRecorder", package: "CacheReplay")])
    ]
)
