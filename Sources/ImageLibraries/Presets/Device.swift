import CachePolicies
import ReplayEngine

/// The device whose memory, screen and system calls determine a preset's limits.
///
/// In a specification, the facts of a device follow the preset's name: `glide; memoryClass: 128MiB; screen: 720x1280`.
public struct Device: Sendable, Equatable {
    /// The physical memory, in bytes.
    public var memory = 6_000_000_000
    /// The memory that Android grants an app, in bytes.
    public var memoryClass = 256 << 20
    /// The size of the screen, in pixels.
    public var screen = Screen(width: 1080, height: 2400)
    /// The call of Android that a memory warning of a trace stands for.
    public var warningLevel = WarningLevel.none
    /// The call of Android that a background of a trace stands for.
    public var backgroundLevel = BackgroundLevel.background

    public init() {}

    public init(memory: Int) { self.memory = memory }

    /// The size of a screen, in pixels.
    public struct Screen: Sendable, Equatable, CustomStringConvertible {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }

        /// Reads `1080x2400`; nil for another text, or for a side that is not from 1 to 65,535.
        init?(_ text: String) {
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard sides.count == 2, sides.allSatisfy({ 1...65_535 ~= $0 }) else { return nil }
            self.init(width: sides[0], height: sides[1])
        }

        public var description: String { "\(width)x\(height)" }

        /// The bytes of a bitmap that fills the screen.
        var bitmapBytes: Int { 4 * width * height }
    }

    /// The calls with which Android asks a running app for memory.
    public enum WarningLevel: String, Sendable, CaseIterable {
        /// No call: Android 14 and later.
        case none
        /// `onLowMemory`, up to Android 13.
        case lowMemory
        /// `onTrimMemory` with `TRIM_MEMORY_RUNNING_CRITICAL`, up to Android 13.
        case runningCritical

        /// Returns the action of a library that clears memory at `onLowMemory`.
        func action(runningCritical: String) -> String {
            switch self {
            case .none: "keep"
            case .lowMemory: "clear"
            case .runningCritical: runningCritical
            }
        }
    }

    /// The calls with which Android tells an app that it left the foreground.
    public enum BackgroundLevel: String, Sendable, CaseIterable {
        /// `onTrimMemory` with `TRIM_MEMORY_BACKGROUND`: the process may be ended.
        case background
        /// `onTrimMemory` with `TRIM_MEMORY_UI_HIDDEN`, which always comes first.
        case uiHidden
    }

    /// Returns a share of the physical memory, in bytes, up to a maximum.
    func memory(_ share: Double, atMost most: Int = .max) -> Int { min(Int(Double(memory) * share), most) }
}

/// One fact of a device, as a specification names it.
public struct DeviceFact: Sendable {
    public let name: String
    /// The accepted values, in words.
    public let values: String
    /// The forms of the accepted values; empty for any text.
    public let forms: [ValueForm]
    /// Sets the fact; returns false for a text that is not a value of it.
    public let set: @Sendable (String, inout Device) -> Bool
    /// The value, as it is written.
    public let text: @Sendable (Device) -> String
    /// Whether only presets of libraries for Android depend on it.
    public let isForAndroid: Bool

    /// Every fact, in the order in which they are printed.
    public static let all = [
        DeviceFact(size: "ram", \.memory, isForAndroid: false), DeviceFact(size: "memoryClass", \.memoryClass),
        DeviceFact(
            name: "screen", values: "a size in pixels such as 1080x2400", forms: [],
            set: { text, device in
                guard let screen = Device.Screen(text) else { return false }
                device.screen = screen
                return true
            }, text: \.screen.description, isForAndroid: true),
        DeviceFact(level: "warningLevel", \.warningLevel), DeviceFact(level: "backgroundLevel", \.backgroundLevel),
    ]

    private init(
        name: String, values: String, forms: [ValueForm], set: @escaping @Sendable (String, inout Device) -> Bool,
        text: @escaping @Sendable (Device) -> String, isForAndroid: Bool
    ) {
        self.name = name
        self.values = values
        self.forms = forms
        self.set = set
        self.text = text
        self.isForAndroid = isForAndroid
    }

    private init(
        size name: String, _ path: WritableKeyPath<Device, Int> & Sendable, isForAndroid: Bool = true
    ) {
        self.init(
            name: name, values: "a size such as \(isForAndroid ? "256MiB" : "4GB")", forms: [.size],
            set: { text, device in
                guard case .bytes(let bytes)? = try? Size(text), bytes > 0 else { return false }
                device[keyPath: path] = bytes
                return true
            }, text: { Size.bytes($0[keyPath: path]).description }, isForAndroid: isForAndroid)
    }

    private init<Level: RawRepresentable<String> & CaseIterable & Sendable>(
        level name: String, _ path: WritableKeyPath<Device, Level> & Sendable
    ) {
        self.init(
            name: name, values: "one of \(Level.allCases.map(\.rawValue).joined(separator: ", "))",
            forms: [.words(Level.allCases.map(\.rawValue))],
            set: { text, device in
                guard let level = Level(rawValue: text) else { return false }
                device[keyPath: path] = level
                return true
            }, text: { $0[keyPath: path].rawValue }, isForAndroid: true)
    }
}
