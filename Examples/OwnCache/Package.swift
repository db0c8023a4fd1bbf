// swift-tools-version: 6.2
import PackageDescription

// An app's own cache, and tests of it on a recorded session: `swift test`.
let package = Package(
    name: "OwnCache",
    platforms: [.macOS(.v15), .iOS(.v15)],
    // Outside this repository: .package(url: "…/CacheReplay", from: "…").
    dependencies: [.package(name: "CacheReplay", path: "../..")],
    targets: [
        .target(name: "OwnCache"),
        .testTarget(
            name: "OwnCacheTests",
            dependencies: ["OwnCache", .product(name: "CacheReplayTesting", package: "CacheReplay")]),
    ]
)
