import Basics
import Foundation
import SessionModel
import Synchronization

/// The sessions of a gallery, one trace per browser.
final class GallerySessions: Sendable {
    private let state = Mutex<[String: GallerySession]>([:])
    private let options: GalleryOptions
    private let content: GalleryContent
    private let started: ContinuousClock.Instant

    init(_ options: GalleryOptions, _ content: GalleryContent, started: ContinuousClock.Instant) {
        self.options = options
        self.content = content
        self.started = started
    }

    /// Returns the session of a browser that has started a visit before.
    func known(_ client: String) -> GallerySession? { state.withLock { $0[client] } }

    /// All sessions, in the order of their first visits.
    var all: [GallerySession] { state.withLock { $0.values.sorted { $0.number < $1.number } } }

    /// Returns the session of a browser, and starts it if it is new. Returns nil if there are too many sessions, or if
    /// its file cannot be created.
    func session(_ client: String, clockError: Int64?) -> GallerySession? {
        state.withLock { sessions in
            if let known = sessions[client] { return known }
            guard Self.isName(client), sessions.count < options.browsers else { return nil }
            let number = sessions.count + 1
            let header = TraceHeader(
                title: options.title, recorder: options.recorder, started: Date().ISO8601Format(),
                scripted: options.isScripted, clockError: clockError)
            guard let journal = try? TraceJournal(path: Self.path(options.output, number), header: header) else {
                return nil
            }
            let session = GallerySession(number, journal, content, clockStart: started)
            sessions[client] = session
            return session
        }
    }

    /// Returns `feed.jsonl` for the first session, `feed-2.jsonl` for the second.
    static func path(_ output: String, _ number: Int) -> String {
        guard number > 1 else { return output }
        let name = output[(output.utf8.lastIndex(of: UInt8(ascii: "/")) ?? output.startIndex)...].utf8
        guard let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")),
            name[name.index(before: dot)] != UInt8(ascii: "/")
        else { return "\(output)-\(number)" }
        return "\(output[..<dot])-\(number)\(output[dot...])"
    }

    /// Whether a text is a valid name of a visit or a browser: 8 to 40 letters and digits.
    static func isName(_ text: some StringProtocol) -> Bool {
        (8...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) }
    }
}

/// The session of one browser, which is written to a trace.
///
/// The page's events are written when they arrive. Fetches are collected and written together by ``flush()``, which the
/// server calls every ``GalleryServer/flushInterval``, because there can be thousands per second.
final class GallerySession: Sendable {
    let number: Int
    let journal: TraceJournal
    private let content: GalleryContent
    /// The zero of the page's times.
    private let clockStart: ContinuousClock.Instant
    private let state = Mutex(State())

    struct Counts: Sendable, Equatable {
        var fetches = 0
        var appearances = 0
        /// In microseconds; the largest of all visits.
        var clockError: Int64 = 0
    }

    private struct State {
        var counts = Counts()
        /// The number of the last batch of each visit.
        var sequences: [String: Int] = [:]
        var visit: String?
        /// The number of cells that show each image.
        var shown: [Shown: Int] = [:]
        var isTerminated = true
        var fetches: [TraceEvent] = []
        /// The numbers of events of batches that the trace does not have, by visit and number of the batch.
        var refused: [String: [Int: Int]] = [:]
    }

    /// The most fetches that wait for room on the disk.
    private static let mostWaiting = 100_000

    private struct Shown: Hashable {
        var image: Int
        var variant: Variant
    }

    init(_ number: Int, _ journal: TraceJournal, _ content: GalleryContent, clockStart: ContinuousClock.Instant) {
        self.number = number
        self.journal = journal
        self.content = content
        self.clockStart = clockStart
    }

    var counts: Counts { state.withLock { $0.counts } }

    func fetched(_ number: Int, at moment: ContinuousClock.Instant, _ fetch: Fetch) {
        let object = journal.object(content.files[number].object)
        let event = TraceEvent(time: journal.time(of: moment), .fetch(object, fetch))
        state.withLock { state in
            state.counts.fetches += 1
            state.fetches.append(event)
        }
    }

    /// Writes the collected fetches. They wait while the disk is full.
    func flush() {
        state.withLock { state in
            guard !state.fetches.isEmpty else { return }
            if !journal.appendWhole(state.fetches) {
                guard state.fetches.count > Self.mostWaiting else { return }
                journal.lose(state.fetches.count)
            }
            state.fetches.removeAll(keepingCapacity: true)
        }
    }

    /// Writes the batches that are new, each of them whole or not at all.
    ///
    /// - Returns: Whether the trace has all of them. The browser sends those again that it does not have.
    func append(_ batches: [EventBatch]) -> Bool {
        state.withLock { state in
            var isWritten = true
            for batch in batches where batch.sequence > state.sequences[batch.visit, default: 0] {
                // A batch waits for those before it, which would otherwise count as repeated.
                let earlier = state.refused[batch.visit]?.keys.min() ?? .max
                isWritten = isWritten && earlier >= batch.sequence && append(batch, &state)
                state.refused[batch.visit, default: [:]][batch.sequence] = isWritten ? nil : batch.events.count
            }
            return isWritten
        }
    }

    /// Writes a batch, and takes over what it changes if the trace has it.
    private func append(_ batch: EventBatch, _ state: inout State) -> Bool {
        var next = state
        var events: [TraceEvent] = []
        if next.visit != batch.visit, !next.isTerminated { events = terminate(&next, batch.events.first?.time) }
        next.sequences[batch.visit] = batch.sequence
        next.visit = batch.visit
        next.isTerminated = false
        next.counts.clockError = max(next.counts.clockError, batch.clockError ?? 0)
        events += batch.events.flatMap { self.events(of: $0, &next) }
        guard journal.appendWhole(events) else { return false }
        state = next
        return true
    }

    func finish() {
        flush()
        state.withLock { state in
            journal.lose(state.fetches.count + state.refused.values.reduce(0) { $0 + $1.values.reduce(0, +) })
        }
        journal.finish()
    }

    /// Returns the end of a visit that has not reported its own, for example because the phone has ended the browser.
    /// Its cells disappear at the latest when the next visit begins.
    private func terminate(_ state: inout State, _ time: Int64?) -> [TraceEvent] {
        let time = self.time(time ?? 0)
        var events: [TraceEvent] = []
        for (shown, count) in state.shown.sorted(by: {
            ($0.key.image, $0.key.variant.rawValue) < ($1.key.image, $1.key.variant.rawValue)
        }) {
            let object = self.object(shown.image, shown.variant)
            for _ in 0..<count { events.append(TraceEvent(time: time, .disappear(object, shown.variant))) }
        }
        events.append(TraceEvent(time: time, .terminate))
        state.shown = [:]
        return events
    }

    private func events(of event: PageEvent, _ state: inout State) -> [TraceEvent] {
        if case .list(let images, let variant, let first, let columns) = event.action {
            let time = time(event.time)
            return images.enumerated().map { index, image in
                let position = first + index
                return TraceEvent(
                    time: time,
                    .list(
                        object(image, variant), variant, position: Int32(position), row: Int32(position / columns)))
            }
        }
        return [self.event(of: event, &state)].compactMap(\.self)
    }

    /// Returns the event of the trace; nil for a list, which has several.
    private func event(of event: PageEvent, _ state: inout State) -> TraceEvent? {
        let action: TraceEvent.Action
        switch event.action {
        case .appear(let image, let variant):
            state.counts.appearances += 1
            state.shown[Shown(image: image, variant: variant), default: 0] += 1
            action = .appear(object(image, variant), variant)
        case .disappear(let image, let variant):
            let shown = Shown(image: image, variant: variant)
            if let count = state.shown[shown] { state.shown[shown] = count > 1 ? count - 1 : nil }
            action = .disappear(object(image, variant), variant)
        case .scroll(let phase, let offset, let velocity): action = .scroll(phase, offset: offset, velocity: velocity)
        case .served(let image, let variant, let source): action = .served(object(image, variant), variant, source)
        case .list: return nil
        case .memoryWarning: action = .memoryWarning
        case .background: action = .background
        case .foreground: action = .foreground
        case .terminate:
            state.isTerminated = true
            state.shown = [:]
            action = .terminate
        }
        return TraceEvent(time: time(event.time), action, viewSize: event.viewSize)
    }

    private func object(_ image: Int, _ variant: Variant) -> ObjectID {
        journal.object(content.files[content.number(image: image, isFull: variant == .full)].object)
    }

    private func time(_ clock: Int64) -> Int64 { journal.time(of: clockStart + .microseconds(clock)) }
}
