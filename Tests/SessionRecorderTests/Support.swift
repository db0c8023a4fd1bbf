import CacheTraces
import Foundation
import SessionModel
import SessionRecorder
import Testing

/// Options that keep every event.
func options(_ change: (inout RecordingOptions) -> Void = { _ in }) -> RecordingOptions {
    var options = RecordingOptions()
    options.scrollInterval = 0
    change(&options)
    return options
}

/// Reads a trace without any warnings, not even of an incomplete last line.
func read(_ url: URL) throws -> Trace {
    let reading = try TraceReading(contentsOf: url.path)
    #expect(reading.warnings == [])
    return reading.trace
}

/// The sum of the dropped events that the lines of a trace report.
func reportedAsDropped(_ text: String) throws -> Int {
    try text.split(separator: "\n").reduce(0) { sum, line in
        let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return sum + (fields?["dropped"] as? Int ?? 0)
    }
}

/// The problems reported, from any thread.
final class ProblemLog: @unchecked Sendable {  // `problems` is only touched with the lock held.
    private let lock = NSLock()
    private var problems: [RecordingProblem] = []

    func add(_ problem: RecordingProblem) { lock.withLock { problems.append(problem) } }
    var all: [RecordingProblem] { lock.withLock { problems } }
}
