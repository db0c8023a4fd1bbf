import ReplayEngine

/// The platform of an app, which decides which libraries it can use.
public enum AppPlatform: String, Sendable, Encodable, CaseIterable {
    case ios, android, flutter, compose
    case reactNative = "react-native"
    case any

    /// The name as people write it; nil for any platform.
    public var title: String? {
        switch self {
        case .ios: "iOS"
        case .android: "Android"
        case .flutter: "Flutter"
        case .compose: "Compose Multiplatform"
        case .reactNative: "React Native"
        case .any: nil
        }
    }

    /// The platform of a session, by the recorder that the header of its trace names. `SessionRecorder` is a library
    /// for apps of Apple's systems; other recorders work everywhere.
    public init(recorder: String?) { self = recorder?.hasPrefix("SessionRecorder") == true ? .ios : .any }
}

extension CachePreset {
    /// The platforms whose apps can have this cache. Designs that are written by hand rest on NSCache.
    public var platforms: Set<AppPlatform> {
        switch name {
        // The Foundation of Linux and Windows.
        case "corelibs-urlcache": []
        // React Native shows images with Fresco on Android; its packages expo-image and FastImage use SDWebImage and
        // Glide.
        case "sdwebimage-5": [.ios, .reactNative]
        case "glide", "fresco": [.android, .reactNative]
        case "flutter-3", "cached-network-image-3": [.flutter]
        case "coil-3": [.android, .compose]
        case "coil-3-ios": [.compose]
        case "expo-image-ios", "expo-image-android", "rn-image-ios", "rn-image-android", "fast-image-ios",
            "fast-image-android":
            [.reactNative]
        // Of a page, not of an app.
        case "chromium": []
        default: family == .android ? [.android] : [.ios]
        }
    }
}

extension CacheConfiguration {
    /// Whether an app of a platform can have this cache. A cache without a preset can be written for each.
    public func isAvailable(on platform: AppPlatform) -> Bool {
        guard platform != .any, let preset, let known = try? CachePreset.named(preset) else { return true }
        return known.platforms.contains(platform)
    }
}
