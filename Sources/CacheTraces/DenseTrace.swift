import SessionModel

/// A trace reduced to what a policy sees: requests as columns of numbers.
///
/// An object here is a key in one variant, numbered 0, 1, 2 … in order of first appearance. Made once per trace, and
/// shared by every policy and capacity that is simulated. It takes 8 bytes for each access and 8 or 9 for each object,
/// in memory or in a mapped file.
public struct DenseTrace: Sendable {
    /// By access: its object.
    public let objects: TraceColumn<UInt32>
    /// By access: microseconds since the beginning of its epoch, never falling within one.
    public let ticks: TraceColumn<UInt32>
    /// In order; the first begins with the first access.
    public let epochs: [Epoch]
    /// By object: bytes; nil where every object counts as 1.
    public let sizes: TraceColumn<Int>?
    /// By object: 0 thumbnail, 1 full; nil where all are full.
    public let variants: TraceColumn<UInt8>?
    /// By access: the position of the next access of the same object, ``noAccess`` where there is none. Compiled traces
    /// alone bring it.
    public internal(set) var nextAccesses: TraceColumn<UInt32>?
    /// What the plain loop of lookup and admission does not cover, in order of position.
    public let exceptions: [Exception]
    public let objectCount: Int
    /// The sum over objects of their bytes.
    public let uniqueBytes: Int
    /// The sum over requests, without prefetches, of their objects' bytes.
    public let requestBytes: Int

    public static let noAccess = UInt32.max

    /// A stretch of the trace whose times 32 bits hold: up to 71 minutes.
    public struct Epoch: Sendable, Equatable {
        /// The position of its first access.
        public var start: Int
        /// Microseconds since the start of the trace.
        public var time: Int64
    }

    public struct Exception: Sendable, Equatable {
        /// Happens before the access at this position; an `access` is the one at this position.
        public var position: Int
        public var kind: Kind

        public enum Kind: Sendable, Equatable {
            /// Everything in memory is lost, and the app keeps running.
            case memoryWarning
            /// The app ended and starts again at `time`, in microseconds: everything in memory is lost, and timers restart.
            case relaunch(time: Int64)
            /// A prefetch, which is an access but no request, or an access to an object some of whose recorded fetches
            /// failed: the nth fetch of `key` is admitted if the nth outcome says so. No outcomes: every fetch
            /// succeeds.
            case access(isRequest: Bool, key: ObjectID, outcomes: [Bool])
        }
    }

    init(
        objects: TraceColumn<UInt32>, ticks: TraceColumn<UInt32>, epochs: [Epoch], sizes: TraceColumn<Int>? = nil,
        variants: TraceColumn<UInt8>? = nil, nextAccesses: TraceColumn<UInt32>? = nil, exceptions: [Exception] = [],
        objectCount: Int,
        uniqueBytes: Int, requestBytes: Int
    ) {
        self.objects = objects
        self.ticks = ticks
        self.epochs = epochs
        self.sizes = sizes
        self.variants = variants
        self.nextAccesses = nextAccesses
        self.exceptions = exceptions
        self.objectCount = objectCount
        self.uniqueBytes = uniqueBytes
        self.requestBytes = requestBytes
    }

    /// Bytes.
    public func size(of object: UInt32) -> Int { sizes?[Int(object)] ?? 1 }

    public func variant(of object: UInt32) -> Variant {
        variants?[Int(object)] == Variant.thumbnail.rawValue ? .thumbnail : .full
    }

    /// Microseconds since the start of the trace.
    ///
    /// - Complexity: O(log n) in the number of epochs; ``forEachEpoch(_:)`` for all accesses in turn.
    public func time(of access: Int) -> Int64 {
        var (low, high) = (0, epochs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if epochs[middle].start <= access { low = middle } else { high = middle }
        }
        return epochs[low].time + Int64(ticks[access])
    }

    /// Calls `body` with each epoch and the positions of its accesses.
    public func forEachEpoch(_ body: (Epoch, Range<Int>) throws -> Void) rethrows {
        for (index, epoch) in epochs.enumerated() {
            let end = index + 1 < epochs.count ? epochs[index + 1].start : objects.count
            try body(epoch, epoch.start..<end)
        }
    }
}
