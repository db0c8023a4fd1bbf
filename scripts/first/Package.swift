// swift-tools-version: 6.2
import PackageDescription

// The program for the first answer of scripts/demo: the command `replay` alone. It takes less than half of the time of
// the whole program to build, because it leaves out the modules and folders that only other commands need. The sources
// are those of CacheReplay, through the link `Sources`, which scripts/demo creates.

func module(_ name: String, _ needs: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: needs, path: "Sources/\(name)")
}

func library(_ name: String, _ package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: package)
}

let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let reports = Target.target(
    name: "CacheReports",
    dependencies: [
        "CacheTraces", "ImageLibraries", "ReplayEngine", "ResultColumns", "Runs", "Statistics", "TraceAnalysis", heap,
    ],
    path: "Sources/CacheReports", exclude: ["Advice", "Kinds", "Simulation", "Trace"],
    resources: [.embedInCode("Document/Page")])
let command = Target.target(
    name: "CacheReplayCommand",
    dependencies: [
        "CBuildCommit", "CacheReports", "HTTPCaching", "ImageLibraries", "MeasuredTiers", "Runs", "Statistics",
        .product(name: "Yams", package: "Yams"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Sources/CacheReplayCommand",
    sources: ["CacheReplay.swift", "FirstAnswer", "Policies", "Replay", "Shared", "Version.swift"])

let package = Package(
    name: "FirstAnswer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        library("CCurl", "libcurl"), library("CArchive", "libarchive"), library("CSQLite", "sqlite3"),
        library("CTurboJPEG", "libturbojpeg"), library("CPNG", "libpng"), library("CWebP", "libwebp"),
        library("CCrypto", "libcrypto"), .systemLibrary(name: "CIntrinsics", path: "Sources/C/CIntrinsics"),
        .target(name: "CBuildCommit", path: "Sources/C/CBuildCommit"),
        module("Basics", [.target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
        module("Statistics", ["Basics"]),
        module("CachePolicies", ["Basics", "CIntrinsics"]),
        module("HTTPCaching", []),
        module("SessionModel", ["Basics", "HTTPCaching"]),
        module("CacheTraces", ["SessionModel", "CArchive", "CIntrinsics"]),
        module("TraceAnalysis", ["CacheTraces"]),
        module("CacheTiers", ["CachePolicies"]),
        module(
            "ReplayEngine",
            [
                "CacheTiers", "SessionModel", "Statistics", heap,
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        module("ImageLibraries", ["ReplayEngine"]),
        module(
            "MeasuredTiers",
            ["CCurl", "CPNG", "CSQLite", "CTurboJPEG", "CWebP", "CacheTraces", "ReplayEngine"]),
        module("ResultColumns", ["ReplayEngine"]),
        module("Runs", ["ResultColumns", "TraceAnalysis"]),
        reports, command,
        .executableTarget(
            name: "cachereplay", dependencies: ["CacheReplayCommand"], path: "Sources/CacheReplayCommand/Executable"),
    ]
)
