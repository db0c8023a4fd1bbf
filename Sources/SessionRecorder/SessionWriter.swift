import Foundation

/// Encodes events and writes them to files, on a serial queue; only this queue waits for the disk.
final class SessionWriter: @unchecked Sendable {  // What is not `let` is only touched on `serial`.
    struct Written: Sendable {
        var events = 0
        var lost = 0
        var bytes = 0
        var files: [String] = []
        var problem: RecordingProblem?
    }

    /// The counts, which any thread can read.
    let written = Locked(Written())
    let serial = DispatchQueue(label: "SessionRecorder", qos: .utility)
    private let options: RecordingOptions
    private let path: String
    private let series: FileSeries
    private let started: String
    private var encoder: LineEncoder
    private var file: RecordingFile?
    private var part = 0
    /// The number of lost or dropped events that no line reports yet.
    private var unreported = 0
    /// By queued event: where it ends in the encoder's bytes, the number of dropped events that it reports, and the
    /// number of events that it has in the trace.
    private var ends: [(offset: Int, reported: Int, events: Int)] = []

    init(file: URL, options: RecordingOptions, started: Date) {
        self.options = options
        path = file.path
        series = FileSeries(file)
        self.started = started.formattedAsRFC3339
        encoder = LineEncoder(privacy: options.privacy)
    }

    func write(_ events: [RecordedEvent]) {
        for event in events {
            unreported += event.droppedBefore
            guard openFile() else {
                lose(event)
                continue
            }
            encoder.append(event, dropped: unreported)
            ends.append((encoder.bytes.count, unreported, event.eventCount))
            unreported = 0
            if let file, !file.isEndless, file.size + encoder.bytes.count >= options.maximumFileBytes { closeFile() }
        }
        writeOut()
    }

    /// Writes the number of events dropped last, and closes the file.
    func finish(dropped: Int) {
        unreported += dropped
        if unreported > 0, file != nil, encoder.appendNote(dropped: unreported) {
            ends.append((encoder.bytes.count, unreported, 0))
            unreported = 0
        }
        closeFile()
    }

    private func openFile() -> Bool {
        if file != nil { return true }
        var header = LineEncoder(privacy: options.privacy)
        header.appendHeader(title: options.title, started: started, part: part + 1)
        do {
            let isSpecial = RecordingFile.isSpecial(path)
            let opened =
                isSpecial
                ? try RecordingFile.attach(to: path, header: header.bytes)
                : try RecordingFile.create(series.next(keeping: options.maximumFiles), header: header.bytes)
            file = opened
            part += 1
            encoder.forgetObjects()
            written.withLock {
                $0.files.append(opened.path)
                $0.bytes += opened.size
            }
            return true
        } catch {
            report(error)
            return false
        }
    }

    private func closeFile() {
        writeOut()
        file?.finish()
        file = nil
    }

    /// Writes the encoded bytes, and counts the events that were lost if that fails.
    private func writeOut() {
        defer {
            encoder.removeBytes()
            ends.removeAll(keepingCapacity: true)
        }
        guard !ends.isEmpty, let before = file?.size, let outcome = file?.append(encoder.bytes), let after = file?.size
        else { return }
        let safe = ends.prefix { $0.offset <= outcome.accepted }
        let torn = ends.dropFirst(safe.count)
        let lost = torn.reduce(0) { $0 + $1.events }
        unreported += torn.reduce(lost) { $0 + $1.reported }
        written.withLock {
            $0.events += safe.reduce(0) { $0 + $1.events }
            $0.lost += lost
            $0.bytes += after - before
            if outcome.problem == nil { $0.problem = nil }
        }
        guard let problem = outcome.problem else { return }
        // Object lines can be among the lost lines.
        encoder.forgetObjects()
        report(problem)
    }

    private func lose(_ event: RecordedEvent) {
        unreported += event.eventCount
        written.withLock { $0.lost += event.eventCount }
    }

    private func report(_ problem: RecordingProblem) {
        let isNews = written.withLock { written in
            defer { written.problem = problem }
            return written.problem == nil
        }
        if isNews { options.onProblem?(problem) }
    }
}

extension Date {
    var formattedAsRFC3339: String {
        ISO8601DateFormatter().string(from: self)
    }
}
