import CacheTraces
import Foundation
import NIOCore
import SessionModel
import Synchronization

/// The counts of a run.
public struct OriginStatistics: Sendable, Equatable, Codable {
    /// Requests for objects, with any result.
    public var requests = 0
    /// Bytes of body written to the connections.
    public var bytes = 0

    public init(requests: Int = 0, bytes: Int = 0) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// The state that all connections of a ``LoopbackOrigin`` share: the objects of the trace, and the counts.
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
        /// The number of requests by object.
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

    /// Counts a request, and returns the duration of its response.
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

    /// The limit of bodies kept in memory, in bytes. Others are computed for each request, at the speed of memory.
    private static let keptBodyLimit = 16 << 20

    /// Returns a part of an object's body; nil if its file cannot be read.
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

/// The source of the bytes of an object that a ``LoopbackOrigin`` serves.
enum OriginBodySource: Sendable {
    case pattern(PayloadPattern)
    /// The file of a recorded body.
    case file(String)

    /// Fills the buffer with the bytes from `offset` on. Returns false if they cannot be read.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
        switch self {
        case .pattern(let pattern):
            pattern.fill(buffer, from: offset)
            return true
        case .file(let path):
            return Self.read(path, into: buffer, from: offset)
        }
    }

    private static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var filled = 0
        while filled < buffer.count {
            let count = pread(
                file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
            if count > 0 { filled += count } else if count == 0 || errno != EINTR { return false }
        }
        return true
    }
}
