import Basics
import HeapModule
import ReplayEngine
import ResultColumns
import SessionModel

/// Writes the course of a replay in the Chrome trace event format, which Perfetto, chrome://tracing and speedscope open
/// ("Trace Event Format", Google, revision of 2016: JSON object format).
///
/// Process 1 has the lanes of the app: `main`, `disk`, `decode` and `connection` slices, one thread for each of several
/// lanes; what leaves the tiers; and joins and cancellations. Process 2 has the cells: a slice as long as a cell is
/// visible, in it a slice from the appearance until its image is there or the cell vanishes, and the causes of misses.
/// Arrows lead from the appearance of a cell to the end of the fetch or read that brought its image. Counters have the
/// levels of memory, disk, fetches and blank cells, the limit of memory, and the speed of scrolling. Instants of
/// process 1 are the events of the system. ``join(_:to:)`` joins the files of several caches.
///
/// Names of events end in the key of their object. A key in `args` is exact; in a name, long keys are shortened, and
/// hidden characters are written as their number.
public struct ChromeTrace {
    private let trace: Trace
    private let events: ReplayEvents
    private let name: String
    /// By slice: its thread.
    private let threads: [Int]
    /// By cell: its thread.
    private let cellThreads: [Int]
    private let cellThreadCount: Int

    private static let appProcess = 1
    private static let cellProcess = 2
    /// The number of the first thread of cells. A thread with the number of its process would be its main thread.
    private static let firstCell = 5_001

    /// The threads of instants. Their numbers are lower than the numbers of lanes and cells.
    private enum Moments: Int, CaseIterable {
        case leavesMemory = 901
        case leavesDisk, requests, memoryMisses, diskMisses

        var process: Int {
            switch self {
            case .leavesMemory, .leavesDisk, .requests: ChromeTrace.appProcess
            case .memoryMisses, .diskMisses: ChromeTrace.cellProcess
            }
        }

        var title: String {
            switch self {
            case .leavesMemory: "leaves memory"
            case .leavesDisk: "leaves disk"
            case .requests: "joined and cancelled"
            case .memoryMisses: "memory misses"
            case .diskMisses: "disk misses"
            }
        }
    }

    public init(_ trace: Trace, _ events: ReplayEvents, name: String) {
        var events = events
        // The main lane plans ahead, and a relaunch ends work that has not begun.
        for index in events.slices.indices where events.slices[index].start > events.slices[index].end {
            events.slices[index].start = events.slices[index].end
        }
        self.trace = trace
        self.events = events
        self.name = name
        threads = Self.threads(of: events.slices)
        (cellThreads, cellThreadCount) = Self.places(events.cells.map { ($0.appeared, $0.vanished) })
    }

    /// Writes the file's content.
    ///
    /// - Throws: `FileError` if writing fails.
    /// - Complexity: O(n log n) in the number of events. The text is written block by block.
    public func write(to file: AtomicFile) throws {
        var output = ChromeTraceFile(file)
        try writeNames(&output)
        for (slice, thread) in zip(events.slices, threads) { try write(slice, thread: thread, &output) }
        for index in events.cells.indices { try writeCell(index, &output) }
        for mark in events.marks { try write(mark, &output) }
        try writeFlows(&output)
        try writeLevels(&output)
        try writeBlankCells(&output)
        try writeSession(&output)
        try output.finish()
    }

    /// Writes the events of several files into one. Each file keeps its processes under numbers of their own.
    ///
    /// - Throws: `ResultsError` of kind `ioError` for a file that cannot be read; `FileError` if writing fails.
    public static func join(_ files: [String], to file: AtomicFile) throws { try ChromeTraceFile.join(files, to: file) }

    private func writeNames(_ output: inout ChromeTraceFile) throws {
        func write(_ kind: String, _ process: Int, _ thread: Int, _ value: String) throws {
            try output.add(.init(phase: .metadata, name: kind, process: process, thread: thread)) {
                $0.member("name", value)
            }
        }
        try write("process_name", Self.appProcess, 0, name)
        try write("process_name", Self.cellProcess, 0, "cells of \(name)")
        let used = Set(threads)
        for thread in used.sorted() {
            let lane = ReplayEvents.Lane.allCases[thread / 1_000 - 1]
            let isOne = !used.contains(thread / 1_000 * 1_000 + 1)
            try write("thread_name", Self.appProcess, thread, isOne ? lane.name : "\(lane.name) \(thread % 1_000 + 1)")
        }
        for moments in Moments.allCases { try write("thread_name", moments.process, moments.rawValue, moments.title) }
        for thread in 0..<cellThreadCount {
            try write("thread_name", Self.cellProcess, Self.firstCell + thread, "cell \(thread + 1)")
        }
    }

    // MARK: Slices

    private func write(_ slice: ReplayEvents.Slice, thread: Int, _ output: inout ChromeTraceFile) throws {
        var event = ChromeTraceFile.Event(
            phase: .slice, name: named(slice.work.title, slice.isHit, slice.object), category: slice.lane.name,
            process: Self.appProcess, thread: thread, time: slice.start, end: slice.end)
        try output.add(event) { arguments in
            arguments.member("work", slice.work.rawValue)
            arguments.member("key", key(slice.object))
            if let isHit = slice.isHit { arguments.member("hit", isHit) }
            if slice.isCancelled { arguments.member("cancelled", true) }
        }
        guard slice.work == .fetch else { return }
        let (connected, first) = (min(slice.connected, slice.end), min(slice.firstByte, slice.end))
        for (name, start, end) in [
            ("connect", slice.start, connected), ("first byte", connected, first), ("transfer", first, slice.end),
        ] where end > start {
            event.name = name
            (event.time, event.end) = (start, end)
            try output.add(event)
        }
    }

    private func writeCell(_ index: Int, _ output: inout ChromeTraceFile) throws {
        let cell = events.cells[index]
        for (title, end) in [("visible", cell.vanished), ("blank", cell.blankEnd)] {
            let event = ChromeTraceFile.Event(
                phase: .slice, name: named(title, nil, cell.object), category: title, process: Self.cellProcess,
                thread: Self.firstCell + cellThreads[index], time: cell.appeared, end: end)
            try output.add(event) { arguments in
                arguments.member("request", index)
                arguments.member("key", key(cell.object))
                arguments.member("source", cell.source)
            }
        }
        if let cause = cell.memoryCause { try writeMiss(.memoryMisses, cause, of: index, at: cell.appeared, &output) }
        if let cause = cell.diskCause {
            try writeMiss(.diskMisses, cause, of: index, at: cell.missedOnDisk ?? cell.appeared, &output)
        }
    }

    // MARK: Moments

    private func writeMiss(
        _ thread: Moments, _ cause: MissCause, of request: Int, at time: Int64, _ output: inout ChromeTraceFile
    ) throws {
        let object = events.cells[request].object
        let event = ChromeTraceFile.Event(
            phase: .instant, name: named("miss, \(cause.title):", nil, object), category: "miss",
            process: thread.process, thread: thread.rawValue, time: time)
        try output.add(event) { arguments in
            arguments.member("tier", thread == .memoryMisses ? "memory" : "disk")
            arguments.member("cause", cause.name)
            arguments.member("request", request)
            arguments.member("key", key(object))
        }
    }

    private func write(_ mark: ReplayEvents.Mark, _ output: inout ChromeTraceFile) throws {
        let thread: Moments =
            switch mark.tier {
            case .memory, .encodedMemory: .leavesMemory
            case .disk: .leavesDisk
            case nil: .requests
            }
        let occasion = mark.occasion.map { ", \($0.title):" } ?? ""
        let event = ChromeTraceFile.Event(
            phase: .instant, name: named(mark.kind.title + occasion, nil, mark.object), category: mark.kind.category,
            process: thread.process, thread: thread.rawValue, time: mark.time)
        try output.add(event) { arguments in
            arguments.member("kind", mark.kind.rawValue)
            if let tier = mark.tier { arguments.member("tier", tier.rawValue) }
            arguments.member("key", key(mark.object))
            if let request = mark.request { arguments.member("request", request) }
            if let occasion = mark.occasion { arguments.member("occasion", occasion.name) }
        }
    }

    // MARK: Arrows

    /// Arrows from the appearance of a cell to the end of the slice that brought its image: the last fetch or read of
    /// its object that ended by the delivery.
    private func writeFlows(_ output: inout ChromeTraceFile) throws {
        // By object, in order of their ends.
        var bringing: [Int: [Int]] = [:]
        let brought = events.slices.indices.filter {
            let slice = events.slices[$0]
            return (slice.work == .fetch || slice.work == .diskRead) && !slice.isCancelled
        }
        for index in brought.sorted(by: { (events.slices[$0].end, $0) < (events.slices[$1].end, $1) }) {
            bringing[events.slices[index].object, default: []].append(index)
        }
        for (index, cell) in events.cells.enumerated() {
            guard let delivered = cell.delivered, cell.source != "memory_hit",
                let slice = last(
                    of: bringing[cell.object] ?? [], endingIn: cell.appeared...max(cell.appeared, delivered))
            else { continue }
            var event = ChromeTraceFile.Event(
                phase: .flowStart, name: "delivery", category: "flow", process: Self.cellProcess,
                thread: Self.firstCell + cellThreads[index], time: cell.appeared, flow: index)
            try output.add(event)
            event.phase = .flowEnd
            (event.process, event.thread) = (Self.appProcess, threads[slice])
            // At its end, the next slice of the thread can begin.
            event.time = max(events.slices[slice].start, events.slices[slice].end - 1)
            try output.add(event)
        }
    }

    /// Returns the slice with the highest number of those that end within a time. `slices`: in order of their ends.
    private func last(of slices: [Int], endingIn time: ClosedRange<Int64>) -> Int? {
        var (low, high) = (0, slices.count)
        while low < high {
            let middle = (low + high) / 2
            if events.slices[slices[middle]].end < time.lowerBound { low = middle + 1 } else { high = middle }
        }
        return slices[low...].prefix { events.slices[$0].end <= time.upperBound }.max()
    }

    // MARK: Counters

    private func count(
        _ name: String, of process: Int, at time: Int64, _ unit: String, _ value: Int, _ output: inout ChromeTraceFile
    ) throws {
        try output.add(.init(phase: .counter, name: name, process: process, thread: 0, time: time)) {
            $0.member(unit, value)
        }
    }

    private func writeLevels(_ output: inout ChromeTraceFile) throws {
        for level in events.levels {
            try count("memory", of: Self.appProcess, at: level.time, "bytes", level.memoryBytes, &output)
            try count("disk", of: Self.appProcess, at: level.time, "bytes", level.diskBytes, &output)
            try count("fetches", of: Self.appProcess, at: level.time, "in flight", level.fetches, &output)
        }
        guard let limit = events.memoryLimit else { return }
        // Tools draw a counter up to its last moment.
        for time in Set([0, events.levels.last?.time ?? 0]).sorted() {
            try count("memory limit", of: Self.appProcess, at: time, "bytes", limit, &output)
        }
    }

    private func writeBlankCells(_ output: inout ChromeTraceFile) throws {
        var changes: [Int64: Int] = [:]
        for cell in events.cells where cell.blankEnd > cell.appeared {
            changes[cell.appeared, default: 0] += 1
            changes[cell.blankEnd, default: 0] -= 1
        }
        var blank = 0
        for (moment, change) in changes.sorted(by: { $0.key < $1.key }) {
            blank += change
            try count("blank cells", of: Self.cellProcess, at: moment, "cells", blank, &output)
        }
    }

    // MARK: The session

    private func writeSession(_ output: inout ChromeTraceFile) throws {
        for event in trace.events {
            let name: String
            switch event.action {
            case .memoryWarning: name = "memory warning"
            case .background: name = "background"
            case .foreground: name = "foreground"
            case .terminate: name = "relaunch"
            case .remove(let object): name = named("remove", nil, Int(object))
            case .scroll(_, _, let velocity):
                // A trace can state any number.
                let speed = Int(exactly: abs(velocity).rounded()) ?? .max
                try count(
                    "scroll speed", of: Self.cellProcess, at: event.time * 1_000, "points per second", speed, &output)
                continue
            case .appear, .disappear, .prefetch, .fetch, .list, .served, .cost: continue
            }
            let instant = ChromeTraceFile.Event(
                phase: .instant, name: name, category: "system", process: Self.appProcess, thread: 0,
                time: event.time * 1_000, isOfProcess: true)
            try output.add(instant)
        }
    }

    // MARK: Names

    private func key(_ object: Int) -> String? { object < 0 ? nil : trace.objects[object].key }

    /// Returns the name of an event: what happens, whether a tier had the object, and the object's key.
    private func named(_ title: String, _ isHit: Bool?, _ object: Int) -> String {
        let found = isHit.map { $0 ? ", hit:" : ", miss:" } ?? ""
        return key(object).map { "\(title)\(found) \(Self.shown($0))" } ?? title + found
    }

    /// The most characters of a key in names; the beginning and the end of longer ones are shown.
    private static let longestKey = 100

    private static func shown(_ key: String) -> String {
        let scalars = key.unicodeScalars
        let half = longestKey / 2
        guard scalars.dropFirst(longestKey).first != nil else { return VisibleText.line(key) }
        return VisibleText.line(String(scalars.prefix(half)) + "…" + String(scalars.suffix(half)))
    }

    /// Returns the threads of slices: lanes of one kind are neighbours, from 1,000 for the main lane.
    private static func threads(of slices: [ReplayEvents.Slice]) -> [Int] {
        var threads = [Int](repeating: 0, count: slices.count)
        for lane in ReplayEvents.Lane.allCases {
            let order = slices.indices.filter { slices[$0].lane == lane }.sorted {
                (slices[$0].start, $0) < (slices[$1].start, $1)
            }
            let (places, _) = places(order.map { (slices[$0].start, slices[$0].end) })
            for (index, place) in zip(order, places) { threads[index] = (lane.rawValue + 1) * 1_000 + place }
        }
        return threads
    }

    /// Returns a place for each span, so that the spans in a place do not overlap, and the number of places. Each span
    /// takes the first place that is free. Spans are in order of their starts. Complexity: O(n log n).
    static func places(_ spans: [(start: Int64, end: Int64)]) -> (places: [Int], count: Int) {
        var free = Heap<Int>()
        var taken = Heap<TakenPlace>()
        var count = 0
        let places = spans.map { span in
            while let next = taken.min, next.end <= span.start {
                free.insert(next.place)
                taken.removeMin()
            }
            let place = free.popMin() ?? count
            count = max(count, place + 1)
            taken.insert(TakenPlace(end: span.end, place: place))
            return place
        }
        return (places, count)
    }

    private struct TakenPlace: Comparable {
        /// When the place is free again.
        var end: Int64
        var place: Int

        static func < (one: Self, other: Self) -> Bool { (one.end, one.place) < (other.end, other.place) }
    }
}

extension ReplayEvents.Lane {
    fileprivate var name: String {
        switch self {
        case .main: "main"
        case .disk: "disk"
        case .decode: "decode"
        case .connection: "connection"
        }
    }
}

extension ReplayEvents.Mark.Kind {
    fileprivate var category: String {
        switch self {
        case .eviction, .expiration, .clearing, .removal: rawValue
        case .joinedFetch, .joinedRead: "coalescing"
        case .cancelledRequest, .cancelledFetch, .cancelledRead: "cancellation"
        }
    }

    fileprivate var title: String {
        switch self {
        case .eviction: "evicted"
        case .expiration: "expired"
        case .clearing: "lost"
        case .removal: "removed"
        case .joinedFetch: "joins fetch"
        case .joinedRead: "joins read"
        case .cancelledRequest: "request cancelled"
        case .cancelledFetch: "fetch cancelled"
        case .cancelledRead: "read cancelled"
        }
    }
}
