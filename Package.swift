// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CacheReplay",
    // SessionRecorder alone is for iOS, and uses nothing newer than its floor; the rest needs macOS 15.
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .executable(name: "cachereplay", targets: ["cachereplay"]),
        .library(name: "CachePolicies", targets: ["CachePolicies"]),
        .library(name: "CacheReplayCommand", targets: ["CacheReplayCommand"]),
        .library(name: "SessionRecorder", targets: ["SessionRecorder"]),
        .library(name: "CacheReplayTesting", targets: ["CacheReplayTesting"]),
        .plugin(name: "CacheReplayPlugin", targets: ["CacheReplayPlugin"]),
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

        // Headers: prefetching, sampling and drawing with wide registers, choices without branches, marks in 64 bytes
        // of text, and words that threads share; and the module CPolicyPlugin, the C interface of policies in shared
        // libraries.
        .systemLibrary(name: "CIntrinsics", path: "Sources/C/CIntrinsics"),
        // The commit for --version. Only this target is compiled again when the environment names another one.
        .target(
            name: "CBuildCommit", path: "Sources/C/CBuildCommit",
            cSettings: Context.environment["CACHEREPLAY_COMMIT"].map { [.define("CACHEREPLAY_COMMIT", to: $0)] }),

        // From the bottom up: a target may only depend on those above it.
        .target(
            name: "Basics", dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
        // Ranks, intervals, fits: numbers in, numbers out.
        .target(name: "Statistics", dependencies: ["Basics"]),
        .target(name: "CachePolicies", dependencies: ["Basics", "CIntrinsics"]),
        // The rules of HTTP caches: values in, values out.
        .target(name: "HTTPCaching"),
        // The recorded session and the native format. Needs nothing but Foundation, for the test targets of apps.
        .target(name: "SessionModel", dependencies: ["Basics", "HTTPCaching"]),
        .target(name: "CacheTraces", dependencies: ["Basics", "SessionModel", "CArchive", "CIntrinsics"]),
        .target(name: "TraceAnalysis", dependencies: ["Basics", "SessionModel", "CacheTraces"]),
        .target(name: "TraceSynthesis", dependencies: ["Basics", "SessionModel", "CacheTraces"]),
        .target(name: "CacheTiers", dependencies: ["Basics", "CachePolicies"]),
        // For apps: on nothing but Foundation.
        .target(name: "SessionRecorder"),
        .target(
            name: "ReplayEngine",
            dependencies: [
                "Basics", "SessionModel", "CacheTiers", "HTTPCaching", "Statistics",
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
                "CacheTraces", "ReplayEngine", "SessionModel",
            ]),
        .target(
            name: "TraceRecording",
            dependencies: [
                "Basics", "SessionModel", "CacheTraces", "SessionRecorder", "HTTPCaching",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.embedInCode("Gallery/Page")]),
        // The columns of results and the sentences of notes, which an app's tests need too.
        .target(name: "ResultColumns", dependencies: ["Basics", "CachePolicies", "ReplayEngine", "SessionModel"]),
        .target(
            name: "CacheReplayTesting",
            dependencies: ["Basics", "CIntrinsics", "CachePolicies", "ResultColumns", "ReplayEngine", "SessionModel"]),
        .target(name: "CacheSimulation", dependencies: ["Basics", "SessionModel", "CacheTraces", "CachePolicies"]),
        // What is a result, and the folders that keep results.
        .target(
            name: "Runs",
            dependencies: ["Basics", "CachePolicies", "ReplayEngine", "ResultColumns", "Statistics", "TraceAnalysis"]),
        // The search for the best cache and its limits.
        .target(
            name: "Advising",
            dependencies: [
                "Basics", "CachePolicies", "CacheSimulation", "CacheTraces", "ImageLibraries", "ReplayEngine",
                "ResultColumns", "Runs", "SessionModel", "Statistics",
            ]),
        // How results look: sentences, tables, charts, pages, comparisons.
        .target(
            name: "CacheReports",
            dependencies: [
                "Advising", "Basics", "CachePolicies", "CacheTraces", "ImageLibraries", "ReplayEngine",
                "ResultColumns", "Runs", "SessionModel", "Statistics", "TraceAnalysis",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            resources: [.embedInCode("Document/Page")]),
        // The page on which a person changes caches and sees figures at once, and its server.
        .target(
            name: "Playground",
            dependencies: [
                "Advising", "Basics", "CachePolicies", "CacheReports", "CacheTraces", "ImageLibraries", "ReplayEngine",
                "ResultColumns", "Runs", "SessionModel", "Statistics", "TraceRecording",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.embedInCode("Page")]),
        .target(
            name: "CacheReplayCommand",
            dependencies: [
                "Advising", "Basics", "CBuildCommit", "CIntrinsics", "CacheReports", "HTTPCaching", "ImageLibraries",
                "MeasuredTiers", "Playground", "Runs", "Statistics", "TraceRecording", "TraceSynthesis",
                .product(name: "Yams", package: "Yams"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], exclude: ["Executable", "FirstAnswer"]),
        .executableTarget(
            name: "cachereplay", dependencies: ["CacheReplayCommand"], path: "Sources/CacheReplayCommand/Executable"),
        // Without a dependency on the program: packages that depend on this one would build it each time.
        .plugin(
            name: "CacheReplayPlugin",
            capability: .command(
                intent: .custom(verb: "cachereplay", description: "Compare image caches on recorded sessions."),
                permissions: [.writeToPackageDirectory(reason: "Commands write results into the folder Results.")])),
        .target(name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport"),
        .testTarget(name: "BasicsTests", dependencies: ["Basics", "TestSupport"]),
        .testTarget(name: "StatisticsTests", dependencies: ["Basics", "Statistics", "TestSupport"]),
        .testTarget(name: "CachePoliciesTests", dependencies: ["CachePolicies"]),
        // The public test suite of HTTP caches, for the rules that replays run and for URLCache.
        .executableTarget(
            name: "HTTPCases",
            dependencies: [
                "Basics", "HTTPCaching", "CacheTiers", "MeasuredTiers",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], path: "Tests/HTTPCases"),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: ["Basics", "HTTPCaching", "HTTPCases", "CacheTiers", "MeasuredTiers", "TestSupport"],
            exclude: ["Results"]),
        .testTarget(name: "CacheSimulationTests", dependencies: ["CacheSimulation", "TestSupport"]),
        .testTarget(
            name: "CacheTracesTests",
            dependencies: ["CacheTraces", "CIntrinsics", "TraceAnalysis", "TraceSynthesis", "TestSupport"]),
        .testTarget(
            name: "MeasuredTiersTests",
            dependencies: [
                "MeasuredTiers", "CacheTiers", "CacheTraces", "CPNG", "CSQLite", "CTurboJPEG", "CWebP", "TestSupport",
            ]),
        .testTarget(
            name: "TraceRecordingTests",
            dependencies: [
                "TraceRecording", "CacheTiers", "MeasuredTiers", "TestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(
            name: "SessionRecorderTests",
            dependencies: ["SessionRecorder", "CacheTraces", "TestSupport"]),
        // Files that apps copy, with declarations in place of the image libraries.
        .testTarget(
            name: "AdapterTests", dependencies: ["SessionRecorder", "CacheTraces", "TestSupport"],
            path: "Examples/Adapters", exclude: ["CoilRecorder.kt"]),
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
            name: "CacheReplayTestingTests",
            dependencies: [
                "CacheReplayCommand", "CacheReplayTesting", "CachePolicies", "CacheTiers", "MeasuredTiers",
                "ResultColumns", "TestSupport",
            ]),
        .testTarget(name: "CacheReportsTests", dependencies: ["Advising", "CacheReports", "Runs", "TestSupport"]),
        .testTarget(
            name: "PlaygroundTests",
            dependencies: [
                "Playground", "CacheTraces", "MeasuredTiers", "TestSupport", "TraceSynthesis", "cachereplay",
            ]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "CacheReplayCommand", "CachePolicies", "CacheTiers", "CacheTraces", "MeasuredTiers", "TestSupport",
                "TraceSynthesis", "cachereplay", .product(name: "Yams", package: "Yams"),
            ]),
    ]
)
