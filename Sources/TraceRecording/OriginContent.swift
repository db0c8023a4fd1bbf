import CacheTraces
import NIOCore
import SessionModel
import Synchronization

/// What a run was served.
public struct OriginStatistics: Sendable, Equatable, Codable {
    /// Requests for objects, with whatever outcome.
    public var requests = 0
    /// Bytes of body handed to the connections.
    public var bytes = 0

    public init(requests: Int = 0, bytes: Int = 0) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// What all connections of a ``LoopbackOrigin`` share: the trace, prepared for serving, and the counts.
final class OriginContent: Sendable {
    let objects: [OriginObject]
    private let injectsLatency: Bool
    private let state = Mutex(State())

    private struct State {
        var connections = 0
        var runs: [String: Run] = [:]
        var bodies: [Int: ByteBuffer] = [:]
        var bodyBytes = 0
    }

    private struct Run {
        var served = OriginStatistics()
        /// How often each object was asked for.
        var requests: [Int: Int] = [:]
    }

    init(_ trace: Trace, _ options: LoopbackOriginOptions) {
        injectsLatency = options.injectsLatency
        var fetches = [[Fetch]](repeating: [], count: trace.objects.count)
        for event in trace.events {
            if case .fetch(let object, let fetch) = event.action, fetches.indices.contains(Int(object)) {
                fetches[Int(object)].append(fetch)
            }
        }
        let sizes = trace.resolvedSizes().bytes
        objects = trace.objects.indices.map { number in
            OriginObject(
                trace.objects[number], size: sizes[number], fetches: fetches[number],
                fault: options.faults[ObjectID(number)] ?? options.fault, file: options.bodies[ObjectID(number)])
        }
    }

    var connections: Int { state.withLock { $0.connections } }

    func countConnection() { state.withLock { $0.connections += 1 } }

    func statistics(_ run: String) -> OriginStatistics { state.withLock { $0.runs[run]?.served ?? OriginStatistics() } }

    /// Notes a request, and says how long its answer is to take.
    func countRequest(_ run: String, _ number: Int) -> OriginLatency {
        let attempt = state.withLock { state in
            state.runs[run, default: Run()].served.requests += 1
            let attempt = state.runs[run]?.requests[number, default: 0] ?? 0
            state.runs[run]?.requests[number] = attempt + 1
            return attempt
        }
        let latencies = objects[number].latencies
        return injectsLatency && !latencies.isEmpty ? latencies[min(attempt, latencies.count - 1)] : OriginLatency()
    }

    func countBytes(_ run: String, _ count: Int) {
        state.withLock { $0.runs[run, default: Run()].served.bytes += count }
    }

    /// Kept bodies: small ones, up to this sum. Others are made anew each time, at the speed of memory.
    private static let keptBodyLimit = 16 << 20

    /// A part of an object's body; nil where its file cannot be read any more.
    func body(_ number: Int, _ range: Range<Int>, _ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let isWhole = range.lowerBound == 0 && range.count == objects[number].size
        if isWhole, let kept = state.withLock({ $0.bodies[number] }) { return kept }
        var buffer = allocator.buffer(capacity: range.count)
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count])
            return objects[number].body.fill(part, from: range.lowerBound) ? range.count : 0
        }
        guard count == range.count else { return nil }
        guard isWhole else { return buffer }
        let body = buffer
        state.withLock { state in
            guard state.bodyBytes + range.count <= Self.keptBodyLimit else { return }
            if state.bodies.updateValue(body, forKey: number) == nil { state.bodyBytes += range.count }
        }
        return body
    }
}
