// swift-tools-version: 6.2
import PackageDescription

// A policy of one's own beside all others: `swift run -c release own-policy simulate TRACE --policy lru,second-chance
// --capacity 32MB`.
let package = Package(
    name: "OwnPolicy",
    platforms: [.macOS(.v15)],
    // Outside this repository: .package(url: "…/CacheReplay", from: "…").
    dependencies: [.package(name: "CacheReplay", path: "../..")],
    targets: [
        .executableTarget(
            name: "own-policy",
            dependencies: [
                .product(name: "CachePolicies", package: "CacheReplay"),
                .product(name: "CacheReplayCommand", package: "CacheReplay"),
            ])
    ]
)
