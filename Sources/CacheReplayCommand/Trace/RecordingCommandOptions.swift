import ArgumentParser
import CacheTraces
import SessionModel

/// The options for reading recordings and logs.
struct RecordingCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            HAR: read only one page or run, by its id, title or number; 'trace info' lists them. By default all \
            become one trace.
            """,
            valueName: "name"))
    var page: String?

    @Option(
        help: ArgumentHelp(
            """
            Access logs: which requests to read, \
            \(AccessLog.Content.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or ")) (default: all, or \
            images with --match).
            """,
            valueName: "requests"))
    var content: AccessLog.Content?

    @Option(
        help: ArgumentHelp(
            """
            Access logs: the paths of images, such as '/photos/*' or '*.{jpg,png}', instead of recorded types and \
            endings; * stands for any text, ? for a character. May be repeated.
            """,
            valueName: "pattern"),
        transform: Self.pattern)
    var match: [PathPattern] = []

    @Option(
        help: ArgumentHelp(
            "Access logs: the limit of unreadable lines, a number or a share such as 5% (default: 50%).",
            valueName: "limit"),
        transform: Self.limit)
    var maxBadLines: AccessLog.BadLineLimit?

    @Option(
        help: ArgumentHelp(
            "The size of objects without a recorded one, such as 30kB (default: the median of the recorded sizes).",
            valueName: "bytes"),
        transform: Self.size)
    var missingSize: Int?

    var options: ReadingOptions {
        .init(page: page, content: content, match: match, badLines: maxBadLines, missingSize: missingSize)
    }

    private static func pattern(_ text: String) throws -> PathPattern {
        do { return try PathPattern(text) } catch let error as PathPattern.Malformed {
            throw ValidationError(error.description)
        }
    }

    private static func size(_ text: String) throws -> Int {
        let bytes = try SimulateCommand.bytes(text)
        guard bytes <= TraceLimits.bytes else {
            throw ValidationError("expected at most \(TraceLimits.bytes) bytes, the largest size of an object")
        }
        return bytes
    }

    private static func limit(_ text: String) throws -> AccessLog.BadLineLimit {
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
            return .share(percent / 100)
        }
        if let count = Int(text), count >= 0 { return .count(count) }
        throw ValidationError("expected a number of lines, such as 100, or a share from 0% to 100%")
    }
}

extension AccessLog.Content: ExpressibleByArgument {}
