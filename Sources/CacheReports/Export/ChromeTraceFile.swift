import Basics
import Runs

/// A file in the Chrome trace event format while it is written: event by event, so that memory does not grow with their
/// number.
struct ChromeTraceFile {
    /// An event without its arguments. Times are nanoseconds.
    struct Event {
        enum Phase: String {
            case slice = "X"
            case instant = "i"
            case counter = "C"
            case metadata = "M"
            case flowStart = "s"
            case flowEnd = "f"
        }

        var phase: Phase
        var name: String
        var category: String?
        var process: Int
        var thread: Int
        /// nil for metadata.
        var time: Int64?
        /// The end of a slice.
        var end: Int64?
        /// The number of an arrow in its file.
        var flow: Int?
        /// Whether an instant belongs to its whole process, and not to its thread.
        var isOfProcess = false
    }

    private let file: AtomicFile
    private var block = Array("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[".utf8)
    private var line = JSONWriter()
    private var isEmpty = true

    /// The bytes that are written at once.
    private static let blockSize = 1 << 16

    init(_ file: AtomicFile) { self.file = file }

    /// - Parameter arguments: Writes the members of the event's `args`; nil for none.
    mutating func add(_ event: Event, _ arguments: ((inout JSONWriter) -> Void)? = nil) throws {
        line.removeAll()
        line.object { line in
            // ``join(_:to:)`` expects these two first.
            line.member("pid", event.process)
            if let flow = event.flow { line.member("id", "f\(flow)") }
            line.member("ph", event.phase.rawValue)
            line.member("name", event.name)
            if let category = event.category { line.member("cat", category) }
            line.member("tid", event.thread)
            if let time = event.time {
                line.key("ts")
                line.number(Self.microseconds(time))
                if let end = event.end {
                    line.key("dur")
                    line.number(Self.microseconds(end - time))
                }
            }
            switch event.phase {
            case .instant: line.member("s", event.isOfProcess ? "p" : "t")
            case .flowEnd: line.member("bp", "e")
            case .slice, .counter, .metadata, .flowStart: break
            }
            if let arguments { line.object("args", arguments) }
        }
        try add(Self.withNumberedBackslashes(line.bytes))
    }

    private mutating func add(_ event: [UInt8]) throws {
        block += Array((isEmpty ? "\n" : ",\n").utf8)
        block += event
        isEmpty = false
        if block.count >= Self.blockSize { try flush() }
    }

    mutating func finish() throws {
        block += Array("\n]}\n".utf8)
        try flush()
    }

    private mutating func flush() throws {
        try block.withUnsafeBytes { try file.write($0) }
        block.removeAll(keepingCapacity: true)
    }

    /// Returns nanoseconds as microseconds with a fraction.
    ///
    /// Perfetto reads a number as the sum of its whole part and its fraction, multiplies by 1,000 and cuts off what is
    /// behind the point. Where that would be a nanosecond less, a digit more makes it exact. Otherwise slices that
    /// touch would overlap, and Perfetto drops slices that overlap.
    static func microseconds(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return String(whole) }
        let digits = String(rest)
        let text = "\(whole).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
        let read = (Double(whole) + Double(rest) / 1_000) * 1_000
        let isExact = read >= Double(nanoseconds) && Double(nanoseconds) / 1_000 * 1_000 >= Double(nanoseconds)
        return isExact ? text : text + "1"
    }

    /// Returns JSON in which backslashes of texts are written as their number. Perfetto takes the quote behind an
    /// escaped backslash for an escaped one, and reads beyond the end of a text that ends in a backslash.
    static func withNumberedBackslashes(_ json: [UInt8]) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard json.contains(backslash) else { return json }
        var numbered: [UInt8] = []
        var index = 0
        while index < json.count {
            guard json[index] == backslash, index + 1 < json.count else {
                numbered.append(json[index])
                index += 1
                continue
            }
            numbered += json[index + 1] == backslash ? Array("\\u005c".utf8) : [backslash, json[index + 1]]
            index += 2
        }
        return numbered
    }

    // MARK: Joining

    private static let processStart = Array("{\"pid\":".utf8)
    private static let flowStart = Array(",\"id\":\"".utf8)
    private static let processes = 2

    /// Writes the events of several files, each with processes and arrows of its own, in their order.
    ///
    /// - Throws: `ResultsError` of kind `ioError` for a file that cannot be read; `FileError`.
    static func join(_ paths: [String], to file: AtomicFile) throws {
        var joined = ChromeTraceFile(file)
        for (place, path) in paths.enumerated() {
            var lines = try FileLines(path)
            while let line = try lines.next() {
                guard let event = renumbered(line.bytes, place) else { continue }
                try joined.add(event)
            }
        }
        try joined.finish()
    }

    /// Returns an event of a file at a place among several; nil for a line that is no event.
    private static func renumbered(_ line: [UInt8], _ place: Int) -> [UInt8]? {
        guard line.starts(with: processStart) else { return nil }
        let end = line.dropFirst(processStart.count).firstIndex(of: UInt8(ascii: ",")) ?? line.endIndex
        let digits = String(decoding: line[processStart.count..<end], as: UTF8.self)
        guard let process = Int(digits) else { return nil }
        var event = processStart + Array(String(place * processes + process).utf8)
        var rest = line[end...]
        if rest.starts(with: flowStart) {
            // Hexadecimal digits, as the format has them: the place, an f, and the number of the arrow.
            event += flowStart + Array(String(place).utf8)
            rest = rest.dropFirst(flowStart.count)
        }
        if rest.last == UInt8(ascii: ",") { rest = rest.dropLast() }
        return event + rest
    }
}
