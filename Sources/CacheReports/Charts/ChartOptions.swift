import Basics
import Foundation
import ResultColumns

/// The options of charts: `cachereplay chart --size 1920x1080 --font Georgia,24 --dark`.
public struct ChartOptions: Sendable, Equatable {
    /// The size of pictures in pixels; nil: 1,200 wide, and as high as the content needs.
    public var size: PictureSize?
    public var font = ChartFont()
    /// Replaces the titles.
    public var title: String?
    public var isDark = false
    public var order = ChartOrder.blank
    /// The caches to draw: names, or lists of names with commas between them. Empty for all.
    public var caches: [String] = []
    /// The traces to draw, by name; empty for all.
    public var traces: [String] = []
    public var formats: [ChartFormat]

    public init(formats: [ChartFormat] = [.svg, .png]) { self.formats = formats }

    /// Whether the pictures show all results in the standard form, so that they belong into the report.
    public var isStandard: Bool { self == ChartOptions(formats: formats) }

    /// The heights of the font, in pixels, at which texts fit in pictures of this size: those with as much room as the
    /// smallest picture has for its least font.
    public var fontHeights: ClosedRange<Int> {
        let least = Int(ChartCanvas.leastFont)
        let width = (size?.width ?? ChartCanvas.standardWidth) * least / PictureSize.leastWidth
        let height = size.map { $0.height * least / PictureSize.leastHeight } ?? width
        return ChartFont.leastHeight...max(least, min(width, height))
    }

    var canvas: ChartCanvas { ChartCanvas(self) }

    /// Returns whether a cache is drawn, where ``caches`` has names of caches.
    func shows(cache: String) -> Bool { caches.isEmpty || caches.contains(cache) }

    func shows(trace: String) -> Bool { traces.isEmpty || traces.contains(trace) }

    /// Returns the elements of the caches that are drawn: in the order of the names if that is chosen, and as given
    /// otherwise. Charts in the order of blank time use ``ChartOrder/ranked(_:by:_:hits:text:)``.
    func chosen<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        order.arranged(elements.filter { shows(cache: name($0)) }, by: name)
    }
}

/// The order of caches in charts.
public enum ChartOrder: String, Sendable, CaseIterable {
    /// The least blank time first, or the best figure of a chart that has none. Policies of simulations are as given.
    case blank
    /// As on the command line that made the results.
    case given
    /// By name. Numbers in names are in the order of their values: `lru(8MB)` is before `lru(16MB)`.
    case name

    func arranged<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        guard self == .name else { return elements }
        return elements.stableSorted {
            name($0).compare(name($1), options: [.caseInsensitive, .numeric]) == .orderedAscending
        }
    }
}

/// The font of pictures, as `--font` names it: `24`, `Georgia` or `Georgia,24`.
public struct ChartFont: Sendable, Equatable {
    /// nil: a font without serifs. gnuplot draws with another font if the machine has none of this name.
    public var family: String?
    /// In pixels; nil: 14 for pictures 1,200 wide, and in proportion for others.
    public var height: Int?

    public static let leastHeight = 8
    private static let longestFamily = 100

    public init() {}

    /// Reads the text of the option.
    ///
    /// - Returns: nil for a text that is neither a height nor a name. A name has letters, digits, spaces and `-_.+:()`
    ///   only: gnuplot writes a name into an attribute of SVG as it is, and other characters could end the attribute.
    public init?(_ text: String) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        if let height = parts.last.flatMap({ Int($0) }) {
            self.height = height
            parts.removeLast()
        }
        guard !parts.isEmpty else { return }
        let family = parts[0]
        guard parts.count == 1, family.utf8.count <= Self.longestFamily, family.contains(where: \.isLetter),
            family.unicodeScalars.allSatisfy(Self.isSafe)
        else { return nil }
        self.family = family
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || " -_.+:()".unicodeScalars.contains(scalar)
    }
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
    /// The height in pixels below which text is hard to read.
    static let leastFont = 12.0
    /// In pixels.
    static let standardWidth = 1_200
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
    /// The family of the font; nil for the format's font.
    let fontFamily: String?

    init(_ options: ChartOptions) {
        let pixels = options.size?.width ?? Self.standardWidth
        // Small pictures have less text, not smaller one, and low ones have room for it.
        let proportional = max(Self.leastFont, Self.fontSize * Double(pixels) / Double(Self.standardWidth))
        let font = options.font.height.map(Double.init) ?? min(proportional, Double(options.fontHeights.upperBound))
        scale = options.size == nil && options.font.height == nil ? 1 : font / Self.fontSize
        width = Int(Double(pixels) / scale)
        height = options.size.map { [scale] in Int(Double($0.height) / scale) }
        size = options.size
        isDark = options.isDark
        title = options.title
        fontFamily = options.font.family
    }

    /// Returns the size in pixels of a picture of this height in units.
    func pixels(height units: Int) -> (width: Int, height: Int) {
        func pixels(_ units: Int) -> Int { Int((Double(units) * scale).rounded()) }
        return size.map { ($0.width, $0.height) } ?? (pixels(width), pixels(units))
    }

    /// Returns a text of the standard font, cut to so many units.
    func fitted(_ text: String, _ units: Double) -> String { TextGrid.cut(text, width: columns(units)) }

    /// Returns the number of characters of the standard font that fit in so many units, estimated generously.
    func columns(_ units: Double) -> Int { max(8, Int(units / 9.3)) }
}

extension ChartOrder {
    /// Returns elements in the order of the tables, ``ResultOrder/standard``, if this is the order of blank time.
    /// Otherwise the elements keep the order of the command, or are in the order of their names.
    ///
    /// - Parameters:
    ///   - name: Returns the name of the cache of an element.
    ///   - blank: Returns the blank time; nil for none.
    ///   - hits: Returns the share of hits, which decides where no element has a blank time; nil for none.
    ///   - text: Returns the text of a figure. Figures that read the same are a tie.
    func ranked<Element>(
        _ elements: [Element], by name: (Element) -> String, _ blank: (Element) -> Double?,
        hits: (Element) -> Double? = { _ in nil }, text: (Double) -> String = HumanText.share
    ) -> [Element] {
        guard self == .blank else { return elements }
        let hasBlank = elements.contains { blank($0) != nil }
        let polarity = hasBlank ? Polarity.lowerIsBetter : .higherIsBetter
        return ResultOrder.standard.ordered(elements, by: name, polarity) { element -> ResultOrder.Figure? in
            guard let value = hasBlank ? blank(element) : hits(element) else { return nil }
            return (value, text(value))
        }
    }
}
