// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CacheReplay",
    // SessionRecorder alone is for iOS, and uses nothing newer than its floor; the rest needs macOS 15.
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .executable(name: "cachereplay", targets: ["cachereplay"]),
        .library(name: "CachePolicies", targets: ["CachePolicies"]),
        .library(name: "HTTPCaching", targets: ["HTTPCaching"]),
        .library(name: "SessionModel", targets: ["SessionModel"]),
        .library(name: "CacheTraces", targets: ["CacheTraces"]),
        .library(name: "TraceAnalysis", targets: ["TraceAnalysis"]),
        .library(name: "TraceSynthesis", targets: ["TraceSynthesis"]),
        .library(name: "CacheTiers", targets: ["CacheTiers"]),
        .library(name: "ReplayEngine", targets: ["ReplayEngine"]),
        .library(name: "ImageLibraries", targets: ["ImageLibraries"]),
        .library(name: "MeasuredTiers", targets: ["MeasuredTiers"]),
        .library(name: "CacheReplayCommand", targets: ["CacheReplayCommand"]),
        .library(name: "SessionRecorder", targets: ["SessionRecorder"]),
        .library(name: "CacheReplayTesting", targets: ["CacheReplayTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        // C libraries from the system, and the few lines that Swift needs to call them.
        .systemLibrary(
            name: "CCurl", path: "Sources/C/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CArchive", path: "Sources/C/CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/C/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/C/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(
            name: "CPNG", path: "Sources/C/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CWebP", path: "Sources/C/CWebP", pkgConfig: "libwebp",
            providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),

        .systemLibrary(
            name: "CCrypto", path: "Sources/C/CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),

        // The C interface of policies in shared libraries: a header.
        .systemLibrary(name: "CPolicyPlugin", path: "Sources/C/CPolicyPlugin"),
        // A number that threads share: a header.
        .systemLibrary(name: "CAtomicWord", path: "Sources/C/CAtomicWord"),
        // One instruction: a header.
        .systemLibrary(name: "CPrefetch", path: "Sources/C/CPrefetch"),
        // The commit for --version. Only this target is compiled again when the environment names another one.
        .target(
            name: "CBuildCommit", path: "Sources/C/CBuildCommit",
            cSettings: Context.environment["CACHEREPLAY_COMMIT"].map { [.define("CACHEREPLAY_COMMIT", to: $0)] }),

        // From the bottom up: a target may only depend on those above it.
        .target(name: "Basics"),
        // Ranks, intervals, change points: numbers in, numbers out.
        .target(name: "Statistics", dependencies: ["Basics"]),
        .target(
            name: "Digests", dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
        .target(name: "CachePolicies", dependencies: ["Basics", "CPrefetch"]),
        // The rules of HTTP caches: values in, values out.
        .target(name: "HTTPCaching"),
        // The real URLCache, which links libcurl on Linux.
        .target(name: "PlatformURLCache", dependencies: ["CachePolicies"]),
        .target(name: "PolicyPlugins", dependencies: ["CachePolicies", "CPolicyPlugin"]),
        // The recorded session and the native format. Needs nothing but Foundation, for the test targets of apps.
        .target(name: "SessionModel", dependencies: ["Basics", "HTTPCaching"]),
        .target(name: "CacheTraces", dependencies: ["Basics", "SessionModel", "CArchive", "CPrefetch"]),
        .target(name: "TraceAnalysis", dependencies: ["Basics", "SessionModel", "CacheTraces"]),
        .target(name: "TraceSynthesis", dependencies: ["Basics", "SessionModel", "CacheTraces"]),
        // Transfers of libcurl, for the client of replays and for the proxy that records.
        .target(name: "CurlTransfers", dependencies: ["CCurl"]),
        .target(
            name: "CacheTiers",
            dependencies: ["Basics", "CachePolicies", "Digests"]),
        // For apps: on nothing but Foundation.
        .target(name: "SessionRecorder"),
        .target(
            name: "TraceRecording",
            dependencies: [
                "Basics", "SessionModel", "CacheTraces", "SessionRecorder", "CCurl", "CurlTransfers", "Digests",
                "HTTPCaching",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.embedInCode("Gallery/Page")]),
        .target(
            name: "ReplayEngine",
            dependencies: [
                "Basics", "SessionModel", "CacheTiers", "Digests", "HTTPCaching", "Statistics",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The caches of image libraries and the limits of devices, which change with their releases.
        .target(name: "ImageLibraries", dependencies: ["Basics", "CachePolicies", "ReplayEngine", "Statistics"]),
        // Real memory, files, SQLite, libcurl, image decoders and child processes, which an app's tests do without.
        .target(
            name: "MeasuredTiers",
            dependencies: [
                "Basics", "CCurl", "CPNG", "CSQLite", "CTurboJPEG", "CWebP", "CachePolicies", "CacheTiers",
                "CacheTraces", "CurlTransfers", "Digests", "ReplayEngine", "SessionModel",
            ]),
        // The columns of results and the sentences of notes, which an app's tests need too.
        .target(name: "ResultColumns", dependencies: ["Basics", "CachePolicies", "ReplayEngine", "SessionModel"]),
        .target(
            name: "CacheReplayTesting",
            dependencies: ["Basics", "CAtomicWord", "CachePolicies", "ResultColumns", "ReplayEngine", "SessionModel"]),
        .target(name: "CacheProbe", dependencies: ["Basics", "CachePolicies", "MeasuredTiers", "ReplayEngine"]),
        .target(
            name: "Demonstrations",
            dependencies: ["Basics", "ImageLibraries", "MeasuredTiers", "ReplayEngine", "SessionModel"]),
        .target(name: "CacheSimulation", dependencies: ["Basics", "SessionModel", "CacheTraces", "CachePolicies"]),
        .target(
            name: "CacheReports",
            dependencies: [
                "Basics", "Digests", "ImageLibraries", "ReplayEngine", "ResultColumns", "CacheSimulation",
                "CachePolicies", "Statistics", "TraceAnalysis",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            resources: [.embedInCode("Report/Page")]),
        .target(
            name: "CacheReplayCommand",
            dependencies: [
                "Basics", "CBuildCommit", "CacheProbe", "CacheReports", "Demonstrations", "Digests", "HTTPCaching",
                "ImageLibraries", "MeasuredTiers", "PlatformURLCache", "PolicyPlugins", "SessionRecorder", "Statistics",
                "TraceRecording", "TraceSynthesis",
                .product(name: "Yams", package: "Yams"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "cachereplay", dependencies: ["CacheReplayCommand"]),
        .executableTarget(
            name: "CacheReplayBenchmarks",
            dependencies: [
                "Basics", "CacheReplayTesting", "CacheReports", "ImageLibraries", "MeasuredTiers", "Statistics",
                "TraceRecording",
                "TraceSynthesis",
            ]),

        .executableTarget(name: "SessionRecorderExample", dependencies: ["SessionRecorder"]),
        // The source of the example package, which the tests run. The package itself would build all modules again.
        .executableTarget(
            name: "own-policy", dependencies: ["CachePolicies", "CacheReplayCommand"],
            path: "Sources/Examples/OwnPolicy/Sources/own-policy"),

        .target(name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport"),
        .testTarget(name: "BasicsTests", dependencies: ["Basics", "TestSupport"]),
        .testTarget(name: "StatisticsTests", dependencies: ["Basics", "Statistics", "TestSupport"]),
        .testTarget(name: "CachePoliciesTests", dependencies: ["CachePolicies"]),
        // The public test suite of HTTP caches, for the rules that replays run and for URLCache.
        .target(
            name: "HTTPCases",
            dependencies: [
                "HTTPCaching", "CacheTiers", "MeasuredTiers",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], path: "Tests/HTTPCases"),
        .executableTarget(name: "http-cases", dependencies: ["Basics", "HTTPCases"], path: "Tests/HTTPCasesCommand"),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: ["Basics", "HTTPCaching", "HTTPCases", "CacheTiers", "MeasuredTiers", "TestSupport"],
            exclude: ["Results"]),
        .testTarget(name: "PolicyPluginsTests", dependencies: ["PolicyPlugins", "TestSupport"]),
        .testTarget(name: "CacheSimulationTests", dependencies: ["CacheSimulation", "TestSupport"]),
        .testTarget(
            name: "CacheTracesTests",
            dependencies: [
                "CacheTraces", "CPrefetch", "TraceAnalysis", "TraceSynthesis", "Digests", "TestSupport",
            ]),
        .testTarget(
            name: "MeasuredTiersTests",
            dependencies: [
                "MeasuredTiers", "CacheTiers", "CacheTraces", "CPNG", "CSQLite", "CTurboJPEG", "CWebP", "TestSupport",
            ]),
        .testTarget(
            name: "TraceRecordingTests",
            dependencies: ["TraceRecording", "CacheTiers", "MeasuredTiers", "TestSupport"]),
        .testTarget(
            name: "SessionRecorderTests",
            dependencies: ["SessionRecorder", "CacheTraces", "SessionRecorderExample", "TestSupport"]),
        .testTarget(
            name: "ReplayEngineTests",
            dependencies: [
                "ReplayEngine", "ImageLibraries", "CacheSimulation", "TraceAnalysis", "TraceSynthesis",
                "TraceRecording", "MeasuredTiers", "TestSupport", "cachereplay",
            ], exclude: ["Recordings"]),
        .testTarget(
            name: "ImageLibrariesTests",
            dependencies: ["ImageLibraries", "CacheTraces", "MeasuredTiers", "ReplayEngine", "TestSupport"]),
        .testTarget(
            name: "CacheProbeTests", dependencies: ["CacheProbe", "CachePolicies", "cachereplay", "TestSupport"]),
        .testTarget(
            name: "PlatformURLCacheTests",
            dependencies: ["PlatformURLCache", "CachePolicies", "CacheTiers", "MeasuredTiers", "TestSupport"]),
        .testTarget(name: "DemonstrationsTests", dependencies: ["Demonstrations", "cachereplay"]),
        .testTarget(
            name: "CacheReplayTestingTests",
            dependencies: [
                "CacheReplayCommand", "CacheReplayTesting", "CachePolicies", "CacheTiers", "MeasuredTiers",
                "ResultColumns", "TestSupport",
            ]),
        .testTarget(name: "CacheReportsTests", dependencies: ["CacheReports", "TestSupport"]),
        .testTarget(
            name: "CommandTests",
            dependencies: ["CacheReplayCommand", "cachereplay", .product(name: "Yams", package: "Yams")]),
    ]
)
