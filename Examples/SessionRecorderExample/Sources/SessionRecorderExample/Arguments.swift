import Foundation
import SessionRecorder

/// The parsed arguments.
struct Arguments {
    var trace = URL(fileURLWithPath: "")
    var images: [URL] = []
    var rounds = 1
    var options = RecordingOptions()

    static let usage = """
        Shows how an app records a session: downloads images like a scrolled list, and writes a trace of it.

        usage: SessionRecorderExample TRACE.jsonl URL... [--rounds N] [--file-bytes N] [--files N]
                                      [--hash-keys] [--strip-queries] [--strip-hosts]

        """

    struct UsageError: Error { var message: String }

    init(_ arguments: [String]) throws(UsageError) {
        var words = arguments[...]
        var places: [String] = []
        while let word = words.popFirst() {
            switch word {
            case "--rounds": rounds = try Self.number(word, words.popFirst())
            case "--file-bytes": options.maximumFileBytes = try Self.number(word, words.popFirst())
            case "--files": options.maximumFiles = try Self.number(word, words.popFirst())
            case "--hash-keys": options.privacy.hashing = .random()
            case "--strip-queries": options.privacy.stripsQuery = true
            case "--strip-hosts": options.privacy.stripsHost = true
            default:
                if word.hasPrefix("--") { throw UsageError(message: "unknown option \(word)") }
                places.append(word)
            }
        }
        guard places.count >= 2 else {
            throw UsageError(message: "expected a file for the trace and the URLs of images")
        }
        trace = URL(fileURLWithPath: places[0])
        for place in places.dropFirst() {
            guard let url = URL(string: place), url.scheme != nil else {
                throw UsageError(message: "\(place) is not a URL")
            }
            images.append(url)
        }
    }

    private static func number(_ option: String, _ word: String?) throws(UsageError) -> Int {
        guard let word, let number = Int(word), number > 0 else {
            throw UsageError(message: "\(option) expects a number of at least 1, found \(word ?? "nothing")")
        }
        return number
    }
}
