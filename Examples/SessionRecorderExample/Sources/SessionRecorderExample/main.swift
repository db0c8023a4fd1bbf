import Foundation
import SessionRecorder

func say(_ text: String, to output: FileHandle = .standardOutput) { output.write(Data(text.utf8)) }

var arguments: Arguments
do {
    arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
} catch {
    say("SessionRecorderExample: \(error.message)\n\(Arguments.usage)", to: .standardError)
    exit(64)
}

arguments.options.title = "Example list"
arguments.options.onProblem = { problem in say("\(problem)\n", to: .standardError) }
let recorder = TraceRecorder(file: arguments.trace, options: arguments.options)
let loader = ImageLoader(recorder: recorder)
let rowHeight = 300.0

// Each round shows one cell per image, scrolls past the cells, and stops.
recorder.foreground()
recorder.list(arguments.images.map(\.absoluteString))
for round in 1...arguments.rounds {
    recorder.scrolled(phase: .dragged, offset: 0)
    for (row, url) in arguments.images.enumerated() {
        recorder.cellAppeared(url.absoluteString)
        recorder.scrolled(phase: .decelerating, offset: Double(row) * rowHeight)
    }
    loader.load(arguments.images)
    recorder.scrolled(phase: .atRest, offset: Double(arguments.images.count - 1) * rowHeight)
    for url in arguments.images { recorder.cellDisappeared(url.absoluteString) }
    // An app does not need to wait. The example waits, so that a printed round is in the file.
    if recorder.flush(timeout: 10) { say("round \(round)\n") }
}
recorder.background()
recorder.finish(timeout: 10)

let status = recorder.status
say("\(status.eventsWritten) events in \(status.files.map(\.lastPathComponent).joined(separator: ", "))\n")
let missing = status.eventsDropped + status.eventsLost
if missing > 0 { say("\(missing) events are missing\n", to: .standardError) }
exit(status.problem == nil ? 0 : 74)
