import Basics
import Foundation
import ReplayEngine

/// A file with the rates of a measured link:
///
/// - CSV with the columns `start_ms` and `mbit_s`: the rate from a time on, in millions of bits per second. The times
///   begin at 0 and have equal distances.
/// - The packet lines of mahimahi: each line is the millisecond at which the link delivers a packet of 1,500 bytes. The
///   last one is the length of the recording.
///
/// Both begin again at their end.
struct LinkFile {
    let link: MeasuredLink

    static let endings = [".csv", ".up", ".down", ".trace"]
    /// The largest file in bytes.
    private static let largest = 256 << 20
    /// The bytes of a packet of mahimahi.
    private static let packet = 1_500.0

    /// - Throws: ``CommandFailure`` that names the file and the line.
    init(contentsOf path: String) throws {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else {
            throw CommandFailure(.noInput, "\(path): no such file, or not readable.")
        }
        guard size <= Self.largest else {
            throw CommandFailure(
                .badData, "\(path): a link has at most \(Self.largest >> 20) MiB; is it the right file?")
        }
        guard let text = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "\(path): no such file, or not readable.")
        }
        // A line break of Windows is one character.
        let lines = String(decoding: text, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let filled = lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
        guard let first = filled.first else {
            throw CommandFailure(
                .badData, "\(path): empty; expected 'start_ms,mbit_s' and rows such as '0,12.5', or packet lines.")
        }
        link =
            first.contains(",") ? try Self.rates(Array(filled), path) : try Self.packets(Array(filled), path)
    }

    private static func failure(_ path: String, _ line: Int, _ text: String) -> CommandFailure {
        CommandFailure(.badData, "\(path):\(line): \(text)")
    }

    private static func rates(_ lines: [Substring], _ path: String) throws -> MeasuredLink {
        let names = lines[0].split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard let start = names.firstIndex(of: "start_ms"), let rate = names.firstIndex(of: "mbit_s") else {
            throw failure(path, 1, "expected the columns start_ms and mbit_s")
        }
        try check(intervals: lines.count - 1, path)
        var starts: [Double] = []
        var megabits: [Double] = []
        for (index, line) in lines.enumerated().dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == names.count, let time = Double(fields[start]), let value = Double(fields[rate]),
                time.isFinite, value.isFinite, value >= 0, value < 1e6
            else {
                throw failure(path, index + 1, "expected a time and a rate from 0 to 1000000, such as '100,12.5'")
            }
            starts.append(time)
            megabits.append(value)
        }
        guard starts.count >= 2, starts[0] == 0 else {
            throw failure(path, 2, "expected at least two rows, the first of which begins at 0 ms")
        }
        guard (1e-6...60_000).contains(starts[1]) else {
            throw failure(path, 3, "expected a second row that begins at 0.000001 ms (a nanosecond) to 60000 ms")
        }
        let interval = starts[1]
        for (index, time) in starts.enumerated() where abs(time - Double(index) * interval) > interval / 1_000 {
            throw failure(
                path, index + 2,
                "expected start_ms \(HumanText.decimals(Double(index) * interval, 3)), because intervals are equal")
        }
        return try checked(
            MeasuredLink(interval: Int64((interval * 1e6).rounded()), bytes: megabits.map { $0 * 125 * interval }), path
        )
    }

    /// - Throws: ``CommandFailure`` for more intervals than a link has.
    static func check(intervals: Int, _ path: String) throws {
        guard intervals <= MeasuredLink.mostIntervals else {
            throw CommandFailure(
                .badData,
                """
                \(path): \(intervals) intervals; a link has at most \(MeasuredLink.mostIntervals). Replace \
                neighbouring ones by their mean.
                """)
        }
    }

    private static func packets(_ lines: [Substring], _ path: String) throws -> MeasuredLink {
        var times: [Int] = []
        for (index, line) in lines.enumerated() {
            guard let time = Int(line), time >= times.last ?? 0, time < 1 << 23 else {
                throw failure(
                    path, index + 1, "expected a millisecond below \(1 << 23) that is not before the line above")
            }
            times.append(time)
        }
        guard let end = times.last, end > 0 else { throw failure(path, 1, "expected a last millisecond above 0") }
        var bytes = [Double](repeating: 0, count: end)
        // A packet of a millisecond is delivered in the millisecond that ends then.
        for time in times { bytes[max(0, time - 1)] += packet }
        return try checked(MeasuredLink(interval: 1_000_000, bytes: bytes), path)
    }

    /// - Parameter link: A link of rates and intervals that were checked; nil if it delivers nothing.
    private static func checked(_ link: MeasuredLink?, _ path: String) throws -> MeasuredLink {
        guard let link else {
            throw CommandFailure(
                .badData, "\(path): the link never delivers anything; expected a rate above 0 in one interval.")
        }
        return link
    }
}
