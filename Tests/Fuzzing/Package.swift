// swift-tools-version: 6.1
import PackageDescription

// Fuzzers of every parser; scripts/fuzz builds and runs them. A package of its own, because ordinary builds must not
// have the instrumentation, and no macOS toolchain of Xcode's has libFuzzer. The link `Modules`, which scripts/fuzz
// creates, leads to the sources of the parsers.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CArchive", path: "Modules/C/CArchive", pkgConfig: "libarchive"),
        .systemLibrary(name: "CCrypto", path: "Modules/C/CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CIntrinsics", path: "Modules/C/CIntrinsics"),
        .target(name: "Basics", dependencies: ["CCrypto"], path: "Modules/Basics"),
        .target(name: "CachePolicies", dependencies: ["Basics", "CIntrinsics"], path: "Modules/CachePolicies"),
        .target(name: "HTTPCaching", path: "Modules/HTTPCaching"),
        .target(name: "SessionModel", dependencies: ["Basics", "HTTPCaching"], path: "Modules/SessionModel"),
        .target(
            name: "CacheTraces", dependencies: ["SessionModel", "CArchive", "CIntrinsics"],
            path: "Modules/CacheTraces"),
        .target(name: "TraceAnalysis", dependencies: ["CacheTraces"], path: "Modules/TraceAnalysis"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CachePolicies", "TraceAnalysis"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ]
)
