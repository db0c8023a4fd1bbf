/// What a user chooses about charts: `cachereplay chart --size 1920x1080 --font 24 --dark`.
public struct ChartOptions: Sendable, Equatable {
    /// The size of pictures in pixels; nil: 1,200 wide, and as high as the content needs.
    public var size: PictureSize?
    /// The height of the font in pixels; nil: 14 for pictures 1,200 wide, and in proportion for others.
    public var font: Int?
    /// Replaces the titles.
    public var title: String?
    public var isDark = false
    /// The caches to draw: names, or lists of names with commas between them. Empty for all.
    public var caches: [String] = []
    /// The traces to draw, by name; empty for all.
    public var traces: [String] = []
    public var formats: [ChartFormat] = [.svg, .png]

    public init() {}

    /// Whether the pictures show all results in the standard form, so that they belong into the report.
    public var isStandard: Bool {
        var standard = ChartOptions()
        standard.formats = formats
        return self == standard
    }

    var canvas: ChartCanvas { ChartCanvas(self) }
}

/// The size of a picture in pixels: `1920x1080`.
public struct PictureSize: Sendable, Equatable {
    public var width: Int
    public var height: Int

    public static let leastWidth = 480
    public static let leastHeight = 320
    public static let most = 7_680

    /// Returns nil for a text that is no size, or for a size out of range.
    public init?(_ text: String) {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            (Self.leastWidth...Self.most).contains(width), (Self.leastHeight...Self.most).contains(height)
        else { return nil }
        (self.width, self.height) = (width, height)
    }
}

/// The space of a chart in units in which the font is ``fontSize`` high. All layout is in units.
struct ChartCanvas: Sendable {
    static let fontSize = 14.0
    static let standard = ChartCanvas(ChartOptions())

    /// In units.
    let width: Int
    /// In units; nil if the height follows the content.
    let height: Int?
    /// Pixels per unit.
    let scale: Double
    /// In pixels; nil if the size follows the content.
    let size: PictureSize?
    let isDark: Bool
    let title: String?

    init(_ options: ChartOptions) {
        let pixels = options.size?.width ?? 1_200
        // Below 12 pixels, text is hard to read, so small pictures have less of it.
        let font = options.font.map(Double.init) ?? max(12, Self.fontSize * Double(pixels) / 1_200)
        scale = options.size == nil && options.font == nil ? 1 : font / Self.fontSize
        width = Int(Double(pixels) / scale)
        height = options.size.map { [scale] in Int(Double($0.height) / scale) }
        size = options.size
        isDark = options.isDark
        title = options.title
    }

    /// Returns the size in pixels of a picture of this height in units.
    func pixels(height units: Int) -> (width: Int, height: Int) {
        func pixels(_ units: Int) -> Int { Int((Double(units) * scale).rounded()) }
        return size.map { ($0.width, $0.height) } ?? (pixels(width), pixels(units))
    }

    /// Returns the number of characters of the standard font that fit in so many units, estimated generously.
    func columns(_ units: Double) -> Int { max(8, Int(units / 9.3)) }
}
