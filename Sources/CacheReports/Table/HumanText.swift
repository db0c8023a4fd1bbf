import Foundation

/// Figures for people, with three significant digits and a unit that fits. Programs read the CSV files instead.
public enum HumanText {
    /// Returns `812 B` or `12.3 MB`, in powers of ten.
    public static func bytes(_ value: Double) -> String {
        scaled(value, steps: [(1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")])
    }

    /// Returns `0.8 µs`, `1.2 ms` or `3.4 s`.
    public static func microseconds(_ value: Double) -> String {
        scaled(value, steps: [(1, "µs"), (1e3, "ms"), (1e6, "s")])
    }

    /// Returns a whole number of the largest unit that divides the duration: `500 ms`, `30 s`, `2 h` or `1 d`. Other
    /// durations are written as by ``microseconds(_:)``.
    static func duration(_ microseconds: Double) -> String {
        let units = [(8.64e10, "d"), (3.6e9, "h"), (6e7, "min")]
        for (factor, unit) in units
        where microseconds >= factor && microseconds.truncatingRemainder(dividingBy: factor) == 0 {
            return "\(count(microseconds / factor)) \(unit)"
        }
        return self.microseconds(microseconds)
    }

    /// Returns a number with a fixed number of digits after the point.
    static func decimals(_ value: Double, _ places: Int) -> String { value.fixed(places) }

    /// Returns `81.2%`. A share above 0 never reads 0.0%, and a share below 1 never 100.0%.
    public static func share(_ value: Double) -> String {
        if value > 0, value < 0.0005 { return "<0.1%" }
        if value < 1, value >= 0.9995 { return ">99.9%" }
        return String(format: "%.1f%%", value * 100)
    }

    /// Returns shares with as many digits as they need to differ: `0.12%` and `0.14%`, where one digit would make both
    /// `0.1%`. Equal shares stay equal. At most four digits follow the point.
    static func shares(_ one: Double, _ other: Double) -> (String, String) {
        let plain = (share(one), share(other))
        guard one != other, plain.0 == plain.1 else { return plain }
        for places in 2...4 {
            let texts = (decimals(one * 100, places) + "%", decimals(other * 100, places) + "%")
            if texts.0 != texts.1 { return texts }
        }
        return plain
    }

    /// Returns `80%`, for axes.
    static func wholeShare(_ value: Double) -> String { "\(trimmed(value * 100))%" }

    /// Returns `4,512`.
    public static func count(_ value: Double) -> String {
        let digits = String(format: "%.0f", abs(value))
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        let isHalf = value != value.rounded()  // The median of an even number of repeats.
        return isHalf ? trimmed(value) : (value < 0 ? "-" : "") + grouped
    }

    static func figure(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .text, .count: count(value)
        case .meanCount: trimmed(value)
        case .bytes: bytes(value)
        case .microseconds: microseconds(value)
        case .seconds: microseconds(value * 1e6)
        case .ratio: String(format: "%.2f%%", value * 100)
        case .perSecond: "\(count(value.rounded()))/s"
        }
    }

    /// Returns a figure in its base unit with a fixed number of digits after the point: `12.0001%`, `1234567.00 B`.
    static func exact(_ value: Double, _ unit: Unit, _ places: Int) -> String {
        switch unit {
        case .text, .count, .meanCount: decimals(value, places)
        case .bytes: "\(decimals(value, places - 2)) B"
        case .microseconds: "\(decimals(value, places - 2)) µs"
        case .seconds: "\(decimals(value, places)) s"
        case .ratio: "\(decimals(value * 100, places))%"
        case .perSecond: "\(decimals(value, places))/s"
        }
    }

    private static func scaled(_ value: Double, steps: [(Double, String)]) -> String {
        // A value that rounds up to 1000 has the next unit.
        let (factor, unit) = steps.last { abs(value) >= $0.0 * 0.9995 } ?? steps[0]
        return "\(trimmed(value / factor)) \(unit)"
    }

    /// Returns three digits without trailing zeros: `0.85`, `1.2`, `12.3`, `812`.
    private static func trimmed(_ value: Double) -> String {
        let size = abs(value)
        var text = String(format: "%.\(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)f", value)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
