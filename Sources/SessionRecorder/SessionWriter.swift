import Foundation

/// Takes events off the queue and writes them, on a serial queue of its own, which alone may wait for the disk.
final class SessionWriter: @unchecked Sendable {  // What is not `let` is only touched on `serial`.
    struct Written: Sendable {
        var events = 0
        var lost = 0
        var bytes = 0
        var files: [String] = []
        var problem: RecordingProblem?
    }

    /// What its owner may read at any time.
    let written = Locked(Written())
    let serial = DispatchQueue(label: "SessionRecorder", qos: .utility)
    private let options: RecordingOptions
    private let path: String
    private let series: FileSeries
    private let started: String
    private var encoder: LineEncoder
    private var file: TraceFile?
    private var part = 0
    /// Lost or dropped, and not yet told by a line.
    private var untold = 0
    /// Where in the encoder's bytes each event ends, and what it tells as dropped.
    private var ends: [(offset: Int, told: Int, isEvent: Bool)] = []

    init(file: URL, options: RecordingOptions, started: Date) {
        self.options = options
        path = file.path
        series = FileSeries(file)
        self.started = started.formattedAsRFC3339
        encoder = LineEncoder(privacy: options.privacy)
    }

    func write(_ events: [RecordedEvent]) {
        for event in events {
            untold += event.droppedBefore
            guard openFile() else {
                lose(event)
                continue
            }
            encoder.append(event, dropped: untold)
            ends.append((encoder.bytes.count, untold, event.isEvent))
            untold = 0
            if let file, !file.isEndless, file.size + encoder.bytes.count >= options.maximumFileBytes { closeFile() }
        }
        writeOut()
    }

    /// Tells what was dropped last, and closes the file.
    func finish(dropped: Int) {
        untold += dropped
        if untold > 0, file != nil, encoder.appendNote(dropped: untold) {
            ends.append((encoder.bytes.count, untold, false))
            untold = 0
        }
        closeFile()
    }

    private func openFile() -> Bool {
        if file != nil { return true }
        var header = LineEncoder(privacy: options.privacy)
        header.appendHeader(title: options.title, started: started, part: part + 1)
        do {
            let isSpecial = TraceFile.isSpecial(path)
            let opened =
                isSpecial
                ? try TraceFile.attach(to: path, header: header.bytes)
                : try TraceFile.create(series.next(keeping: options.maximumFiles), header: header.bytes)
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

    /// Writes what is encoded, and takes stock of what was lost where that fails.
    private func writeOut() {
        defer {
            encoder.removeBytes()
            ends.removeAll(keepingCapacity: true)
        }
        guard !ends.isEmpty, let before = file?.size, let outcome = file?.append(encoder.bytes), let after = file?.size
        else { return }
        let safe = ends.prefix { $0.offset <= outcome.accepted }
        let torn = ends.dropFirst(safe.count)
        let lost = torn.lazy.filter(\.isEvent).count
        untold += torn.reduce(lost) { $0 + $1.told }
        written.withLock {
            $0.events += safe.lazy.filter(\.isEvent).count
            $0.lost += lost
            $0.bytes += after - before
            if outcome.problem == nil { $0.problem = nil }
        }
        guard let problem = outcome.problem else { return }
        // Object lines may be among the lost.
        encoder.forgetObjects()
        report(problem)
    }

    private func lose(_ event: RecordedEvent) {
        guard event.isEvent else { return }
        untold += 1
        written.withLock { $0.lost += 1 }
    }

    private func report(_ problem: RecordingProblem) {
        let isNews = written.withLock { written in
            defer { written.problem = problem }
            return written.problem == nil
        }
        if isNews { options.onProblem?(problem) }
    }
}

extension RecordedEvent {
    /// False for what only tells of an object.
    fileprivate var isEvent: Bool { if case .object = action { false } else { true } }
}

extension Date {
    var formattedAsRFC3339: String {
        ISO8601DateFormatter().string(from: self)
    }
}
