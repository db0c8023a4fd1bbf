import SessionModel

/// The dates of Common Log Format: `10/Oct/2000:13:55:36 -0700`.
struct LogDate {
    /// Lines of one second have the same text.
    private var lastText: [UInt8] = []
    private var lastTime: Int64 = 0

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Microseconds since 1970; nil where the text is no such date. A missing zone means UTC.
    mutating func microseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        if !lastText.isEmpty, lastText.elementsEqual(text) { return lastTime }
        let parts = text.string.split(separator: ":", maxSplits: 1)
        guard text.count <= 40, parts.count == 2, case let date = parts[0].split(separator: "/"), date.count == 3,
            let month = Self.months.firstIndex(of: String(date[1])), date[0].count == 2
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        let clock = parts[1].filter { $0 != " " }
        guard let time = Timestamp.microseconds("\(date[2])-\(number)-\(date[0])T\(clock)") else { return nil }
        lastText = Array(text)
        lastTime = time
        return time
    }
}

/// Seconds with decimals, as logs write times and durations: `1286536308.779`.
enum LogSeconds {
    /// Microseconds; nil where the text is no number or beyond ``TraceLimits/time``.
    static func microseconds(_ text: UnsafeRawBufferPointer, unit: Double = 1e6) -> Int64? {
        guard (1...32).contains(text.count), let value = Double(text.string) else { return nil }
        let microseconds = (value * unit).rounded()
        guard abs(microseconds) <= Double(TraceLimits.time) else { return nil }
        return Int64(microseconds)
    }
}
