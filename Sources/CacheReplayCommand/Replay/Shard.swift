import ArgumentParser
import Basics
import Foundation
import Runs

/// The argument of `--shard`, such as `3/8`: a part of the traces of a replay, for one of several machines.
struct Shard: Equatable, Sendable, ExpressibleByArgument {
    /// Counted from 1.
    var number: Int
    var count: Int

    init?(argument: String) {
        let sides = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let number = Int(sides[0]), let count = Int(sides[1]),
            (1...ShardSource.most).contains(count),
            (1...count).contains(number)
        else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Returns whether the work of a place, from 0, is in this shard, if the work is dealt out in turn.
    func has(place: Int) -> Bool { place % count == number - 1 }

    /// Returns the places of the traces of this shard, in order.
    ///
    /// Each trace goes to the shard that has the fewest bytes so far, larger traces first. The work of a trace follows
    /// its number of requests, which is unknown before it is read; files of one format have about the same bytes for
    /// each request.
    ///
    /// - Parameter sizes: The sizes of the files of all traces, in bytes.
    func places(sizes: [Int]) -> [Int] {
        let bySize = sizes.indices.sorted { (sizes[$1], $0) < (sizes[$0], $1) }
        // A heap would be faster for thousands of shards: this is O(n log n + n m), some seconds for a million traces.
        var loads = [(bytes: Int, traces: Int)](repeating: (0, 0), count: count)
        var places: [Int] = []
        for place in bySize {
            var least = 0
            for shard in 1..<max(1, count) where loads[shard] < loads[least] { least = shard }
            loads[least].bytes += sizes[place]
            loads[least].traces += 1
            if least == number - 1 { places.append(place) }
        }
        return places.sorted()
    }
}

extension ShardSource {
    /// - Parameter settings: A text that differs between replays whose results must not be joined.
    init(_ shard: Shard, of files: [TraceFile], sizes: [Int], settings: String) {
        var digest = Digest(.sha256)
        var text = settings
        for (file, size) in zip(files, sizes) { text += "\n\(file.name)\t\(size)" }
        digest.update(Array(text.utf8))
        self.init(
            number: shard.number, count: shard.count, traces: files.count, plan: digest.finish().hexadecimal)
    }

    /// - Parameter what: The text of the work that is done with the traces.
    init(_ shard: Shard, of whole: Manifest<SimulationFacts>, what: String) throws {
        var digest = Digest(.sha256)
        let traces = whole.traces.map { "\($0.name)\t\($0.sha256)" }
        let policies = whole.policies.map { "\($0.name)\t\($0.specification)" }
        let settings = whole.settings.map { "\($0.key)\t\($0.value)" }.sorted()
        let parts = [traces, policies, whole.capacities, settings, ["\(what) \(whole.csvSafe == true)"]]
        digest.update(Array(parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n").utf8))
        self.init(
            number: shard.number, count: shard.count, traces: whole.traces.count, plan: digest.finish().hexadecimal)
    }
}

/// The user of a session, from the name of its trace: `--user-from '^([^-]+)-'` finds `anna` in `anna-monday`.
struct UserPattern: Sendable {
    private let pattern: String
    private let expression: NSRegularExpression

    /// - Parameter pattern: A regular expression of ICU. Its first group is the user; without a group, the whole match.
    /// - Throws: ``CommandFailure`` for a text that is not a regular expression.
    init(_ pattern: String) throws {
        self.pattern = pattern
        do { expression = try NSRegularExpression(pattern: pattern) } catch {
            throw CommandFailure(
                .usage, "--user-from '\(pattern)': not a regular expression; write for example '^([^-]+)-'.")
        }
    }

    /// The most reports of progress for one name. ICU reports after some 10,000 steps, so a pattern that tries every
    /// way to divide a name ends after a number of steps, not after a time.
    private static let mostReports = 200

    /// Returns the user in the name of a trace.
    /// - Throws: ``CommandFailure`` if there is none, or if the pattern takes too many steps.
    func user(in name: String) throws -> String {
        let all = NSRange(name.startIndex..., in: name)
        var match: NSTextCheckingResult?
        var reports = 0
        var isTooCostly = false
        expression.enumerateMatches(in: name, options: .reportProgress, range: all) { result, flags, stop in
            match = result
            reports += 1
            isTooCostly = result == nil && (flags.contains(.internalError) || reports > Self.mostReports)
            if result != nil || isTooCostly { stop.pointee = true }
        }
        guard !isTooCostly else {
            throw CommandFailure(
                .usage,
                """
                --user-from '\(pattern)': takes too many steps on the trace \(name.prefix(80)); write a pattern \
                without \
                repetitions inside of repetitions, such as '^([^-]+)-'.
                """)
        }
        guard let match,
            let range = Range(match.range(at: min(1, expression.numberOfCaptureGroups)), in: name), !range.isEmpty
        else {
            throw CommandFailure(
                .usage,
                """
                --user-from '\(pattern)': the trace \(name) has no match; the first group of the pattern must find a \
                user in the name of each trace.
                """)
        }
        return String(name[range])
    }

    /// Returns the name of a user in results: the first 16 hexadecimal digits of its SHA-256, so that results can be
    /// shared without names. Names that can be guessed can be found from them.
    static func alias(_ user: String) -> String {
        var digest = Digest(.sha256)
        digest.update(Array(user.utf8))
        return String(digest.finish().hexadecimal.prefix(16))
    }
}
