import Basics
import Foundation

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
