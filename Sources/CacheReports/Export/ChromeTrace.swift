import Basics
import HeapModule
import ReplayEngine
import SessionModel

/// Writes the course of a replay in the Chrome trace event format, which Perfetto, chrome://tracing and speedscope open
/// ("Trace Event Format", Google, revision of 2016: JSON object format).
///
/// Process 1 has the lanes of the app: `main`, `disk`, `decode` and `connection` slices, one thread for each of several
/// lanes. Process 2 has the cells: a slice from the appearance of a cell until its image is there or the cell vanishes.
/// Arrows lead from the appearance of a cell to the end of the fetch or read that brought its image. Counters have the
/// levels of memory, disk, fetches and blank cells, and the speed of scrolling. Instants are the events of the system.
public struct ChromeTrace {
    private let trace: Trace
    private let events: ReplayEvents
    private let name: String
    /// By slice: its thread.
    private let threads: [Int]
    /// By cell: its thread.
    private let cellThreads: [Int]
    private let cellThreadCount: Int

    /// The number of the first thread of cells. A thread with the number of its process would be its main thread.
    private static let firstCell = 5_001

    /// - Parameters:
    ///   - trace: The trace that was replayed.
    ///   - events: The events of the replay.
    ///   - name: The name of the cache.
    public init(_ trace: Trace, _ events: ReplayEvents, name: String) {
        self.trace = trace
        self.events = events
        self.name = name
        threads = Self.threads(of: events.slices)
        (cellThreads, cellThreadCount) = Self.places(events.cells.map { ($0.appeared, $0.blankEnd) })
    }

    /// The file's content.
    public var json: String {
        var text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
        var lines: [String] = []
        func line(_ fields: String) { lines.append("{\(fields)}") }
        func meta(_ kind: String, _ process: Int, _ thread: Int, _ value: String) {
            line(
                """
                "ph":"M","name":"\(kind)","pid":\(process),"tid":\(thread),"args":{"name":\(quoted(value))}
                """)
        }
        meta("process_name", 1, 0, name)
        meta("process_name", 2, 0, "cells of \(name)")
        let used = Set(threads)
        for thread in used.sorted() {
            let lane = ReplayEvents.Lane.allCases[thread / 1_000 - 1]
            let isOne = !used.contains(thread / 1_000 * 1_000 + 1)
            meta("thread_name", 1, thread, isOne ? lane.name : "\(lane.name) \(thread % 1_000 + 1)")
        }
        for (slice, thread) in zip(events.slices, threads) { write(slice, thread: thread, line) }
        for thread in 0..<cellThreadCount { meta("thread_name", 2, Self.firstCell + thread, "cell \(thread + 1)") }
        for (index, (cell, thread)) in zip(events.cells, cellThreads).enumerated() {
            line(
                """
                "ph":"X","name":"blank","cat":"cell","pid":2,"tid":\(Self.firstCell + thread),\
                "ts":\(time(cell.appeared)),"dur":\(time(cell.blankEnd - cell.appeared)),\
                "args":{"request":\(index),"key":\(key(cell.object)),\
                "source":"\(cell.source)"}
                """)
        }
        flows(line)
        counters(line)
        instants(line)
        text += lines.joined(separator: ",\n")
        return text + "\n]}\n"
    }

    private func write(_ slice: ReplayEvents.Slice, thread: Int, _ line: (String) -> Void) {
        func part(_ name: String, _ from: Int64, _ to: Int64, _ more: String = "") {
            line(
                """
                "ph":"X","name":"\(name)","cat":"\(slice.lane.name)","pid":1,"tid":\(thread),"ts":\(time(from)),\
                "dur":\(time(to - from)),"args":{"key":\(key(slice.object))\(more)}
                """)
        }
        part(slice.work.title, slice.start, slice.end, slice.isCancelled ? ",\"cancelled\":true" : "")
        guard slice.work == .fetch else { return }
        let (connected, first) = (min(slice.connected, slice.end), min(slice.firstByte, slice.end))
        if connected > slice.start { part("connect", slice.start, connected) }
        if first > connected { part("first byte", connected, first) }
        if slice.end > first { part("transfer", first, slice.end) }
    }

    /// Arrows from the appearance of a cell to the end of the slice that brought its image: the last fetch or read of
    /// its object that ended by the delivery.
    private func flows(_ line: (String) -> Void) {
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
            line(
                """
                "ph":"s","id":\(index),"name":"delivery","cat":"flow","pid":2,\
                "tid":\(Self.firstCell + cellThreads[index]),"ts":\(time(cell.appeared))
                """)
            line(
                """
                "ph":"f","bp":"e","id":\(index),"name":"delivery","cat":"flow","pid":1,"tid":\(threads[slice]),\
                "ts":\(time(events.slices[slice].end))
                """)
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

    private func counters(_ line: (String) -> Void) {
        func counter(_ name: String, of process: Int, at moment: Int64, _ unit: String, _ value: Int) {
            line(
                """
                "ph":"C","name":"\(name)","pid":\(process),"tid":0,"ts":\(time(moment)),"args":{"\(unit)":\(value)}
                """)
        }
        for level in events.levels {
            counter("memory", of: 1, at: level.time, "bytes", level.memoryBytes)
            counter("disk", of: 1, at: level.time, "bytes", level.diskBytes)
            counter("fetches", of: 1, at: level.time, "in flight", level.fetches)
        }
        var changes: [Int64: Int] = [:]
        for cell in events.cells where cell.blankEnd > cell.appeared {
            changes[cell.appeared, default: 0] += 1
            changes[cell.blankEnd, default: 0] -= 1
        }
        var blank = 0
        for (moment, change) in changes.sorted(by: { $0.key < $1.key }) {
            blank += change
            counter("blank cells", of: 2, at: moment, "cells", blank)
        }
        for event in trace.events {
            guard case .scroll(_, _, let velocity) = event.action else { continue }
            // A trace can state any number.
            let speed = Int(exactly: abs(velocity).rounded()) ?? .max
            counter("scroll speed", of: 2, at: event.time * 1_000, "points per second", speed)
        }
    }

    private func instants(_ line: (String) -> Void) {
        func instant(_ name: String, _ moment: Int64) {
            line("\"ph\":\"i\",\"s\":\"g\",\"name\":\(quoted(name)),\"pid\":1,\"tid\":0,\"ts\":\(time(moment * 1_000))")
        }
        for event in trace.events {
            switch event.action {
            case .memoryWarning: instant("memory warning", event.time)
            case .background: instant("background", event.time)
            case .foreground: instant("foreground", event.time)
            case .terminate: instant("relaunch", event.time)
            case .remove(let object):
                instant("remove \(trace.objects[Int(object)].key)", event.time)
            case .appear, .disappear, .prefetch, .fetch, .scroll, .list, .served: break
            }
        }
    }

    /// Microseconds with nanoseconds behind the point.
    private func time(_ nanoseconds: Int64) -> String {
        let rest = String(nanoseconds % 1_000)
        return "\(nanoseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private func key(_ object: Int) -> String { object < 0 ? "null" : quoted(trace.objects[object].key) }

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
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
