import Basics
import ReplayEngine

/// The statements of a library, as a template of code.
struct LibrarySetting: Sendable {
    let name: String
    let language: SettingAsCode.Language
    let presets: [String]
    /// Where the names were read.
    private(set) var source = ""
    /// The parts of the code: its caches, and its fetches or its disk where they are set apart. The imports of the
    /// first part are part of all code.
    private var parts: [Part] = [Part()]
    /// Why no statement sets a value, by what would be set: a tier and a kind of value, or a rule. A sentence that
    /// names the file of the library.
    private var fixed: [String: String] = [:]

    /// Reads a table of libraries. The kind of each line is in its first characters:
    ///
    /// - `== name (language) preset preset …` begins a library.
    /// - `=> text` is its source.
    /// - An empty line begins another part of its code.
    /// - `[name] code` is a statement. Its name is what it sets: a tier and a kind of value, or a rule, followed by a
    ///   word if it sets only this one. `#` stands for a number, and `#60%` for 60 % of it. A lifetime is in seconds.
    ///   A statement that begins with `@` is an argument.
    /// - `[] code` continues a statement.
    /// - `[!name] sentence` says why there is no such statement.
    /// - Other lines are around the statements. Behind them, arguments take the place of `@`, in the order of their
    ///   labels.
    static func table(_ text: String) -> [LibrarySetting] {
        var libraries: [LibrarySetting] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let library = line.wholeMatch(of: /== (.*) \((.*)\) (.*)/) {
                guard let language = SettingAsCode.Language(rawValue: String(library.2)) else { continue }
                libraries.append(
                    LibrarySetting(
                        name: String(library.1), language: language,
                        presets: library.3.split(separator: " ").map(String.init)))
            } else if !libraries.isEmpty {
                libraries[libraries.count - 1].add(String(line))
            }
        }
        return libraries
    }

    private init(name: String, language: SettingAsCode.Language, presets: [String]) {
        (self.name, self.language, self.presets) = (name, language, presets)
    }

    private mutating func add(_ line: String) {
        if line.hasPrefix("=> ") {
            source = String(line.dropFirst(3))
        } else if line.isEmpty {
            parts.append(Part())
        } else if let reason = line.wholeMatch(of: /\[!(.*?)\] (.*)/) {
            fixed[String(reason.1)] = String(reason.2)
        } else {
            parts[parts.count - 1].add(line)
        }
    }

    /// Statements, and the lines around them.
    private struct Part: Sendable {
        var imports: [String] = []
        var before: [String] = []
        var after: [String] = []
        var statements: [String: String] = [:]
        private var lastName: String?

        mutating func add(_ line: String) {
            if let statement = line.wholeMatch(of: /\[(.*?)\] (.*)/) {
                if statement.1.isEmpty, let lastName {
                    statements[lastName]? += "\n\(statement.2)"
                } else {
                    lastName = String(statement.1)
                    statements[String(statement.1)] = String(statement.2)
                }
            } else if line.hasPrefix("import ") {
                imports.append(line)
            } else if lastName == nil {
                before.append(line)
            } else {
                after.append(line)
            }
        }
    }

    /// A statement, and the number of the part of the code to which it belongs.
    struct Statement: Sendable {
        let text: String
        fileprivate let part: Int
    }

    /// Returns the statement that sets a limit or a lifetime of a tier; nil if none is known, or if the value is not a
    /// number.
    func statement(_ tier: String, _ value: TierValue) -> Statement? {
        let key = "\(tier) \(value.kind.rawValue)"
        if value.isNever { return statement(key, word: "never") }
        guard let number = value.number else { return nil }
        guard value.kind == .lifetime else { return statement(key, number: number) }
        // Fractions of a second would need another literal.
        return number % 1_000_000 == 0 ? statement(key, number: number / 1_000_000) : nil
    }

    /// Returns the statement that sets a rule; nil if none is known.
    func statement(_ rule: Rule, _ value: String) -> Statement? {
        Int64(value).map { statement(rule.name, number: $0) } ?? statement(rule.name, word: value)
    }

    /// Returns the sentence that a value of a tier is not set, with the reason if the library has one.
    func lack(_ tier: String, _ value: TierValue) -> String {
        lack("\(tier) \(value.kind.rawValue)", "the \(value.kind.rawValue) of \(tier): \(value.text)")
    }

    /// Returns the sentence that a rule is not set, with the reason if the library has one.
    func lack(_ rule: Rule, _ value: String) -> String { lack(rule.name, "\(rule.name): \(value)") }

    private func lack(_ key: String, _ text: String) -> String {
        guard let reason = fixed[key] else { return "No statement is known that sets \(text)." }
        return "No statement sets \(text). \(reason)"
    }

    private func statement(_ key: String, number: Int64) -> Statement? {
        find(key) {
            $0.replacing("#60%", with: "\(number / 5 * 3 + number % 5 * 3 / 5)").replacing("#", with: "\(number)")
        }
    }

    private func statement(_ key: String, word: String) -> Statement? { find("\(key) \(word)") { $0 } }

    private func find(_ key: String, _ filled: (String) -> String) -> Statement? {
        for (number, part) in parts.enumerated() {
            if let text = part.statements[key] { return Statement(text: filled(text), part: number) }
        }
        return nil
    }

    /// Returns the code with the statements, without imports of classes that it does not mention.
    func code(_ statements: [Statement]) -> String {
        // Names of Dart do not tell from which package they are, so each part of the code has its own imports.
        var imports = language == .dart ? [] : parts.first?.imports ?? []
        var bodies: [String] = []
        for (number, part) in parts.enumerated() {
            let own = statements.filter { $0.part == number }.map(\.text).unique()
            guard !own.isEmpty else { continue }
            imports += part.imports
            let arguments = own.filter { $0.hasPrefix("@") }.map { $0.dropFirst() }.sorted().joined()
            let lines = part.before + own.filter { !$0.hasPrefix("@") }
            bodies.append((lines + part.after.map { $0.replacing("@", with: arguments) }).joined(separator: "\n"))
        }
        let body = bodies.joined(separator: "\n\n")
        imports = imports.unique()
        if language == .kotlin {
            imports = imports.filter { line in line.split(separator: ".").last.map { body.contains($0) } ?? false }
        }
        let head = imports.isEmpty ? [] : imports.sorted() + [""]
        return (head + [body]).joined(separator: "\n") + "\n"
    }
}

extension LibrarySetting {
    /// The libraries whose statements are known. FastImage takes the statements of SDWebImage and Glide. Designs with
    /// an NSCache that pass no cost are not here: the limit would have no effect.
    static let all = LibrarySetting.table(
        """
        == Kingfisher (swift) kingfisher-8
        => onevcat/Kingfisher: Sources/Cache/MemoryStorage.swift at ccb87f940e147346a70313e0b1ae8035aeb986d6, \
        Sources/Cache/DiskStorage.swift at 7719aef8e0437a98ccbb544a0b3ebfee0aa60871, \
        Sources/Cache/Storage.swift at 05fe0ece9186b9f2c3d0d0b5a316258c45636c67, and \
        Sources/Networking/ImageDownloader.swift at 006a7952c50bdb74e3dbbbab94e144bd8ba4c0bf
        import Kingfisher
        let cache = ImageCache.default
        [memory limit in bytes] cache.memoryStorage.config.totalCostLimit = #
        [memory limit of objects] cache.memoryStorage.config.countLimit = #
        [memory lifetime] cache.memoryStorage.config.expiration = .seconds(#)
        [memory lifetime never] cache.memoryStorage.config.expiration = .never
        [memoryOnBackground keep] cache.memoryStorage.config.keepWhenEnteringBackground = true
        [disk limit in bytes] cache.diskStorage.config.sizeLimit = #
        [disk lifetime] cache.diskStorage.config.expiration = .seconds(#)
        [disk lifetime never] cache.diskStorage.config.expiration = .never

        import Foundation
        let configuration = URLSessionConfiguration.ephemeral
        [connectionsPerHost] configuration.httpMaximumConnectionsPerHost = #
        ImageDownloader.default.sessionConfiguration = configuration
        == SDWebImage (swift) sdwebimage-5 sdwebimage-5.19 fast-image-ios
        => SDWebImage/SDWebImage: SDWebImage/Core/SDImageCacheConfig.h at 0b10fcb54484b618a53386670bff38176a203290, \
        and SDWebImage/Core/SDWebImageDownloaderConfig.h at 0b304a867d25cf6cfa67dcd0c8b530e7ef8ee174
        import SDWebImage
        let config = SDImageCache.shared.config
        [memory limit in bytes] config.maxMemoryCost = #
        [memory limit of objects] config.maxMemoryCount = #
        [disk limit in bytes] config.maxDiskSize = #
        [disk lifetime] config.maxDiskAge = #
        [disk lifetime never] config.maxDiskAge = -1

        [connections] SDWebImageDownloader.shared.config.maxConcurrentDownloads = #
        [order lifo] SDWebImageDownloader.shared.config.executionOrder = .lifoExecutionOrder
        == Nuke (swift) nuke-12 nuke-13
        => kean/Nuke: \(nukeMemory.source), \
        Sources/Nuke/Caching/DataCache.swift at 0606ade7f8f05ca38117fe2f9b643b8b94ad52ee, \(nukeFetches.source)
        \(nukeMemory.code)
        [disk limit in bytes] (ImagePipeline.shared.configuration.dataCache as? DataCache)?.sizeLimit = #

        \(nukeFetches.code)
        == Nuke (swift) nuke-default
        => kean/Nuke: \(nukeMemory.source), \(nukeFetches.source)
        \(nukeMemory.code)

        \(nukeFetches.code)
        == AlamofireImage (swift) alamofireimage-4
        => https://alamofire.github.io/AlamofireImage/Classes/AutoPurgingImageCache.html and \
        https://alamofire.github.io/AlamofireImage/Classes/ImageDownloader.html
        import AlamofireImage
        import UIKit
        let configuration = ImageDownloader.defaultURLSessionConfiguration()
        var imageCache = AutoPurgingImageCache()
        [memory limit in bytes] imageCache = AutoPurgingImageCache(
        []     memoryCapacity: #, preferredMemoryUsageAfterPurge: #60%)
        [disk limit in bytes] configuration.urlCache?.diskCapacity = #
        [connectionsPerHost] configuration.httpMaximumConnectionsPerHost = #
        [connections] @ maximumActiveDownloads: #,
        [order lifo] @ downloadPrioritization: .lifo,
        UIImageView.af.sharedImageDownloader = ImageDownloader(
            configuration: configuration,@ imageCache: imageCache)
        == URLCache (swift) urlcache
        => https://developer.apple.com/documentation/foundation/urlcache and \
        https://developer.apple.com/documentation/foundation/urlsessionconfiguration
        import Foundation
        \(urlCache)
        == URLCache of swift-corelibs-foundation (swift) corelibs-urlcache
        => swiftlang/swift-corelibs-foundation: Sources/FoundationNetworking/URLCache.swift at \
        69575963144afd2fe16d2dba78a2ce22fce1939e, and \
        Sources/FoundationNetworking/URLSession/URLSessionConfiguration.swift at \
        1aa94aef07dc6fef627029320aab0a99b3ab927a
        import FoundationNetworking
        \(urlCache)
        == NSCache (swift) ttl-two-tier coalescing-memory coalescing-memory-as-written nscache-100mb
        => https://developer.apple.com/documentation/foundation/nscache
        import UIKit
        let cache = NSCache<NSString, UIImage>()
        [memory limit in bytes] cache.totalCostLimit = #
        [memory limit of objects] cache.countLimit = #
        // Each store passes its cost: cache.setObject(image, forKey: key, cost: bytes)
        == Coil (kotlin) coil-3
        => coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt at \
        24729abeed40a3d1c8d3ded5b3a7847d43abd6f5, and coil-network-okhttp/src/commonMain/kotlin/coil3/network/\
        okhttp/OkHttpNetworkFetcher.kt at 16a8620578844a2269f4adea955643d14f974bd7; \(okHttp)
        import coil3.memory.MemoryCache
        import coil3.network.okhttp.OkHttpNetworkFetcherFactory
        import okhttp3.Dispatcher
        import okhttp3.OkHttpClient
        val memoryCache = MemoryCache.Builder()
        [memory limit in bytes]     .maxSizeBytes(#L)
            .build()

        val client = OkHttpClient.Builder()
        [connections]     .dispatcher(Dispatcher().apply { maxRequests = #; maxRequestsPerHost = # })
            .build()
        // A component of the ImageLoader.
        val fetcherFactory = OkHttpNetworkFetcherFactory(callFactory = { client })
        == Glide (kotlin) glide fast-image-android
        => https://sjudd.github.io/glide/doc/configuration.html and bumptech/glide: \
        library/src/main/java/com/bumptech/glide/GlideBuilder.java at b0a7efecf54723506bcaac2d801e29845f04f229, and \
        library/src/main/java/com/bumptech/glide/load/engine/executor/GlideExecutor.java at \
        17f03fbcd929b0e690d04537320525f3ede3d596
        import android.content.Context
        import com.bumptech.glide.GlideBuilder
        import com.bumptech.glide.annotation.GlideModule
        import com.bumptech.glide.load.engine.cache.InternalCacheDiskCacheFactory
        import com.bumptech.glide.load.engine.cache.LruResourceCache
        import com.bumptech.glide.load.engine.executor.GlideExecutor
        import com.bumptech.glide.module.AppGlideModule
        @GlideModule
        class CacheLimits : AppGlideModule() {
            override fun applyOptions(context: Context, builder: GlideBuilder) {
        [memory limit in bytes]         builder.setMemoryCache(LruResourceCache(#L))
        [disk limit in bytes]         builder.setDiskCache(InternalCacheDiskCacheFactory(context, #L))
        [connections]         builder.setSourceExecutor(
        []             GlideExecutor.newSourceBuilder().setThreadCount(#).build())
            }
        }
        == Fresco (kotlin) fresco
        => \(frescoPage) and facebook/fresco: \
        imagepipeline-backends/imagepipeline-okhttp3/src/main/java/com/facebook/imagepipeline/backends/okhttp3/\
        OkHttpNetworkFetcher.kt at 1cef38d1321d008266edcd421771e54671ec1340; \(okHttp)
        import com.facebook.cache.disk.DiskCacheConfig
        import com.facebook.drawee.backends.pipeline.Fresco
        import com.facebook.imagepipeline.backends.okhttp3.OkHttpNetworkFetcher
        import com.facebook.imagepipeline.cache.MemoryCacheParams
        import com.facebook.imagepipeline.core.ImagePipelineConfig
        import okhttp3.Dispatcher
        import okhttp3.OkHttpClient
        val config = ImagePipelineConfig.newBuilder(context)
        \(frescoLimits)
        [connections]     .setNetworkFetcher(OkHttpNetworkFetcher(OkHttpClient.Builder()
        []         .dispatcher(Dispatcher().apply { maxRequests = #; maxRequestsPerHost = # })
        []         .build()))
            .build()
        Fresco.initialize(context, config)
        == Picasso (kotlin) picasso-2
        => square/picasso: Picasso.java of the tag 2.8
        import com.squareup.picasso.LruCache
        import com.squareup.picasso.Picasso
        val picasso = Picasso.Builder(context)
        [memory limit in bytes]     .memoryCache(LruCache(#))
            .build()
        == Picasso (kotlin) picasso-3
        => square/picasso: picasso/src/main/java/com/squareup/picasso3/Picasso.kt at e94d611
        import com.squareup.picasso3.Picasso
        val picasso = Picasso.Builder(context)
        [memory limit in bytes]     .withCacheSize(#)
            .build()
        == Flutter (dart) flutter-3
        => \(flutter.source), and packages/flutter/lib/src/painting/binding.dart at 90e4a12
        \(flutter.code)
        == cached_network_image (dart) cached-network-image-3
        => Baseflow/flutter_cache_manager: flutter_cache_manager/lib/src/cache_manager.dart and \
        lib/src/web/file_service.dart at 515cc9e, Baseflow/flutter_cached_network_image at 1c9d86a, and \
        \(flutter.source)
        \(flutter.code)

        import 'package:cached_network_image/cached_network_image.dart';
        import 'package:flutter_cache_manager/flutter_cache_manager.dart';
        [disk limit of objects] @ maxNrOfCacheObjects: #,
        [connections] @ fileService: HttpFileService()..concurrentFetches = #,
        [!disk limit in bytes] Config has no limit in bytes: flutter_cache_manager/lib/src/cache_store.dart at 515cc9e \
        counts files, and looks at the time of their last touch.
        [!disk lifetime] The headers of a response decide, and 7 days without max-age are fixed in \
        flutter_cache_manager/lib/src/web/file_service.dart at 515cc9e.
        final manager = CacheManager(Config('images',@));
        final image = CachedNetworkImage(imageUrl: url, cacheManager: manager);
        == expo-image (typescript) expo-image-ios
        => expo/expo: packages/expo-image/ios/ImageCacheConfig.swift at a611ebb
        import { Image } from 'expo-image';
        Image.configureCache({
        [memory limit in bytes]   maxMemoryCost: #,
        [memory limit of objects]   maxMemoryCount: #,
        [disk limit in bytes]   maxDiskSize: #,
        [store memoryAndDisk]   // Each Image also has cachePolicy="memory-disk".
        [promote true]   // Each Image also has cachePolicy="memory-disk".
        });
        == expo-image on Android (typescript) expo-image-android
        => expo/expo: packages/expo-image/android at 0cf7e70 and 356bdad, and bumptech/glide: \
        library/src/main/java/com/bumptech/glide/GlideBuilder.java at b0a7efecf54723506bcaac2d801e29845f04f229
        import { Image } from 'expo-image';
        [store memoryAndDisk] const image = <Image source={source} cachePolicy="memory-disk" />;
        [promote true] const image = <Image source={source} cachePolicy="memory-disk" />;
        [!memory limit in bytes] \(glideDecides), the limit of memory among them.
        [!disk limit in bytes] \(glideDecides), the 250 MiB of its disk among them.
        [!connections] \(glideDecides), its 4 threads among them.
        == React Native's Image (swift) rn-image-ios
        => facebook/react-native: packages/react-native/Libraries/Image/RCTImageCache.mm of an older tree
        import React
        [memory limit in bytes] RCTSetImageCacheLimits(# / 10, #)
        == React Native's Image on Android (kotlin) rn-image-android
        => facebook/react-native: ReactAndroid/src/main/java/com/facebook/react/modules/fresco/FrescoModule.kt at \
        011fdba, and \(frescoPage)
        import com.facebook.cache.disk.DiskCacheConfig
        import com.facebook.imagepipeline.cache.MemoryCacheParams
        import com.facebook.react.modules.fresco.FrescoModule
        import com.facebook.react.shell.MainPackageConfig
        import com.facebook.react.shell.MainReactPackage
        val config = FrescoModule.getDefaultConfigBuilder(context)
        \(frescoLimits)
            .build()
        val images = MainReactPackage(MainPackageConfig.Builder().setFrescoConfig(config).build())
        == Coil on iOS (kotlin) coil-3-ios
        => coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt, \
        coil-core/src/commonMain/kotlin/coil3/disk/DiskCache.kt and coil-network-core at a42b770
        import coil3.ImageLoader
        import coil3.disk.DiskCache
        import coil3.memory.MemoryCache
        import coil3.network.DeDupeConcurrentRequestStrategy
        import coil3.network.ktor3.KtorNetworkFetcherFactory
        val imageLoader = ImageLoader.Builder(context)
        [memory limit in bytes]     .memoryCache { MemoryCache.Builder().maxSizeBytes(#L).build() }
        [disk limit in bytes]     .diskCache { DiskCache.Builder().directory(directory).maxSizeBytes(#L).build() }
        [coalesce true]     .components {
        []         add(KtorNetworkFetcherFactory(concurrentRequestStrategy = { DeDupeConcurrentRequestStrategy() }))
        []     }
            .build()
        == Chromium (shell) chromium
        => Chromium: net/disk_cache/cache_util.cc of 2024 or later, without a dated commit
        [disk limit in bytes] chromium --disk-cache-size=#
        [!memory limit in bytes] By default, Blink keeps an image only while a document uses it: \
        third_party/blink/renderer/platform/loader/fetch/memory_cache.cc of about M145.
        [!diskEntryLimit] Chromium derives it from the size of the cache, as an eighth and at least 5 MiB: \
        net/disk_cache/simple/simple_backend_impl.cc.
        """)

    private static let nukeMemory = (
        source: "Sources/Nuke/Caching/ImageCache.swift at 043fe772efe235451d25aa34c5e77445a7476a40",
        code: """
        import Nuke
        [memory limit in bytes] ImageCache.shared.costLimit = #
        [memory limit of objects] ImageCache.shared.countLimit = #
        [memory lifetime] ImageCache.shared.ttl = #
        """
    )

    /// The queue is an OperationQueue in Nuke 12, and a TaskQueue with a property of the same name in Nuke 13.
    private static let nukeFetches = (
        source: """
        Sources/Nuke/Pipeline/ImagePipeline+Configuration.swift at be01db14375f7286c6079e58ce103b163246109b, \
        and Sources/Nuke/Pipeline/TaskQueue.swift at 1d679bab775e3380a6fcdbfbe95b594ab4166cd6
        """,
        code: "[connections] ImagePipeline.shared.configuration.dataLoadingQueue.maxConcurrentOperationCount = #"
    )

    private static let urlCache = """
        [memory limit in bytes] URLCache.shared.memoryCapacity = #
        [disk limit in bytes] URLCache.shared.diskCapacity = #

        let configuration = URLSessionConfiguration.default
        [connectionsPerHost] configuration.httpMaximumConnectionsPerHost = #
        let session = URLSession(configuration: configuration)
        """

    private static let okHttp =
        "square/okhttp: okhttp/src/main/kotlin/okhttp3/Dispatcher.kt at 084d4401c094f908b3648739444859c948c24a68"

    private static let frescoPage = "https://facebook.github.io/fresco/docs/configure-image-pipeline.html"

    /// 256 entries, and no other limits, are Fresco's defaults.
    private static let frescoLimits = """
        [memory limit in bytes]     .setBitmapMemoryCacheParamsSupplier {
        []         MemoryCacheParams(#, 256, Int.MAX_VALUE, Int.MAX_VALUE, Int.MAX_VALUE)
        []     }
        [disk limit in bytes]     .setMainDiskCacheConfig(\
        DiskCacheConfig.newBuilder(context).setMaxCacheSize(#L).build())
        """

    /// Flutter's ImageCache, in which packages with a disk of their own hold their images too.
    private static let flutter = (
        source: "flutter/flutter: packages/flutter/lib/src/painting/image_cache.dart at 00606bf",
        code: """
        import 'package:flutter/painting.dart';
        final cache = PaintingBinding.instance.imageCache;
        [memory limit in bytes] cache.maximumSizeBytes = #;
        [memory limit of objects] cache.maximumSize = #;
        """
    )

    /// The reason for the limits of expo-image on Android. A list of examples follows.
    private static let glideDecides = """
        Image.configureCache is for iOS alone, and the AppGlideModule in packages/expo-image/android at 0cf7e70 sets \
        only the level of the log, so Glide's own values stay
        """
}
