/// Figures for people, with three significant digits and a unit that fits. Programs read the CSV files instead.
package enum HumanText {
    /// Returns `812 B` or `12.3 MB`, in powers of ten.
    package static func bytes(_ value: Double) -> String {
        scaled(value, byteUnits[...4], from: 0.9995, trimmed)
    }

    /// Returns `812 B` or `12.0 MB`, in powers of ten with one digit after the point.
    package static func bytes(withTenths value: Int) -> String {
        value < 1_000
            ? "\(value) B" : scaled(Double(value), byteUnits[...]) { "\(($0 * 10).rounded() / 10)" }
    }

    /// Returns `0.8 µs`, `1.2 ms` or `3.4 s`.
    package static func microseconds(_ value: Double) -> String {
        scaled(value, timeUnits[...], from: 0.9995, trimmed)
    }

    /// Returns a whole number of the largest unit that divides the duration: `500 ms`, `30 s`, `2 h` or `1 d`. Other
    /// durations are written as by ``microseconds(_:)``.
    package static func duration(_ microseconds: Double) -> String {
        let units = [(8.64e10, "d"), (3.6e9, "h"), (6e7, "min")]
        for (factor, unit) in units
        where microseconds >= factor && microseconds.truncatingRemainder(dividingBy: factor) == 0 {
            return "\(count(microseconds / factor)) \(unit)"
        }
        return self.microseconds(microseconds)
    }

    /// Returns the two largest units of a duration: `2 min 6 s`. A duration below a second is written as by
    /// ``microseconds(_:)``.
    package static func length(nanoseconds: Int64) -> String {
        let seconds = Int((Double(nanoseconds) / 1e9).rounded())
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return shown.isEmpty
            ? microseconds(Double(nanoseconds) / 1e3) : shown.map { "\($0) \($1)" }.joined(separator: " ")
    }

    /// Returns `351 ms`, or `1.5 s` from a second on, with a fixed number of digits after the point of milliseconds.
    package static func milliseconds(_ value: Double, _ places: Int) -> String {
        value < 1_000 ? "\(decimals(value, places)) ms" : "\(decimals(value / 1_000, 1)) s"
    }

    /// Returns a number with a fixed number of digits after the point.
    package static func decimals(_ value: Double, _ places: Int) -> String { value.fixed(places) }

    /// Returns `81.2%`. A share above 0 never reads 0.0%, and a share below 1 never 100.0%.
    package static func share(_ value: Double) -> String {
        if value > 0, value < 0.0005 { return "<0.1%" }
        if value < 1, value >= 0.9995 { return ">99.9%" }
        return "\(decimals(value * 100, 1))%"
    }

    /// Returns shares with as many digits as they need to differ: `0.12%` and `0.14%`, where one digit would make both
    /// `0.1%`. Equal shares stay equal. At most four digits follow the point.
    package static func shares(_ one: Double, _ other: Double) -> (String, String) {
        let plain = (share(one), share(other))
        guard one != other, plain.0 == plain.1 else { return plain }
        for places in 2...4 {
            let texts = (decimals(one * 100, places) + "%", decimals(other * 100, places) + "%")
            if texts.0 != texts.1 { return texts }
        }
        return plain
    }

    /// Returns a lower bound and a share that is not below it, with as many digits as they need to differ, or to be
    /// equal. The bound is rounded down, so that its text never says more than what is proven: `2.4%` for 2.4999 %.
    ///
    /// At most four digits follow the point. The error of a binary fraction does not count.
    package static func shares(bound: Double, _ share: Double) -> (String, String) {
        func low(_ places: Int) -> (text: String, number: Double) {
            var scale = 1.0
            for _ in 0..<places { scale *= 10 }
            let number = (bound * 100 * scale * (1 + 1e-13)).rounded(.down) / scale
            return (decimals(number, places) + "%", number)
        }
        for places in 1...4 {
            let least = low(places)
            let other = places == 1 ? self.share(share) : decimals(share * 100, places) + "%"
            guard least.number > 0 || bound == 0, (least.text == other) == (bound == share) else { continue }
            return (least.text, other)
        }
        return (low(1).text, bound == share ? low(1).text : self.share(share))
    }

    /// Returns `80%`, for axes.
    package static func wholeShare(_ value: Double) -> String { "\(trimmed(value * 100))%" }

    /// Returns `1 session` or `4,512 sessions`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(count(Double(number))) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns `4,512`.
    package static func count(_ value: Double) -> String {
        let digits = decimals(abs(value), 0)
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        let isHalf = value != value.rounded()  // The median of an even number of repeats.
        return isHalf ? trimmed(value) : (value < 0 ? "-" : "") + grouped
    }

    /// The units of sizes, in powers of ten.
    package static let byteUnits: [(factor: Double, name: String)] = [
        (1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB"),
    ]
    /// The units of durations, in microseconds.
    package static let timeUnits: [(factor: Double, name: String)] = [(1, "µs"), (1e3, "ms"), (1e6, "s")]

    /// Returns a figure in the largest unit that it has at least once, or in the first unit.
    ///
    /// - Parameters:
    ///   - units: In ascending order.
    ///   - least: The share of a unit that is enough for it: with 0.9995, a value that rounds up to 1000 with three
    ///     digits has the next unit.
    ///   - number: Returns the text of the number before the unit.
    package static func scaled(
        _ value: Double, _ units: ArraySlice<(factor: Double, name: String)>, from least: Double = 1,
        _ number: (Double) -> String
    ) -> String {
        guard let unit = units.last(where: { abs(value) >= $0.factor * least }) ?? units.first else { return "" }
        return "\(number(value / unit.factor)) \(unit.name)"
    }

    /// Returns three digits without trailing zeros: `0.85`, `1.2`, `12.3`, `812`.
    package static func trimmed(_ value: Double) -> String {
        let size = abs(value)
        var text = decimals(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
