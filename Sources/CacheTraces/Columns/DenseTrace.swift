import SessionModel

/// A trace reduced to the input of cache policies: requests as columns of numbers.
///
/// An object here is a key in one variant, numbered 0, 1, 2 … in order of first appearance. A trace is converted once
/// and shared by every policy and capacity that is simulated. It takes 8 bytes per access and 8 or 9 per object, in
/// memory or in a mapped file; with ``requestSizes``, 16 bytes per access; without ``ticks``, 4 bytes less.
public struct DenseTrace: Sendable {
    /// The object of each access.
    public let objects: TraceColumn<UInt32>
    /// Microseconds from the start of the epoch, of each access; never falling within an epoch. Empty if the trace was
    /// opened without times; see ``Columns``.
    public let ticks: TraceColumn<UInt32>
    /// The epochs in order; the first begins with the first access.
    public let epochs: [Epoch]
    /// The bytes of each object; nil if every object has size 1.
    public internal(set) var sizes: TraceColumn<Int>?
    /// The bytes of each access, if a file of requests gives an object different sizes, and ``VaryingSizes`` keeps
    /// them; otherwise nil.
    public internal(set) var requestSizes: TraceColumn<Int>?
    /// The variant of each object, 0 thumbnail or 1 full; nil if all are full.
    public internal(set) var variants: TraceColumn<UInt8>?
    /// The position of the next access of the same object, of each access; ``noAccess`` if there is none. Only compiled
    /// traces contain it.
    public internal(set) var nextAccesses: TraceColumn<UInt32>?
    /// The events that a plain loop of lookup and admission does not cover, in order of position.
    public internal(set) var exceptions: [Exception] = []
    /// The number of objects.
    public let objectCount: Int
    /// The sum of the sizes of all objects.
    public let uniqueBytes: Int
    /// The sum of the sizes of all requests, without prefetches.
    public let requestBytes: Int
    /// Whether sizes were asked for, and the trace has none, so that each object has the assumed size 1.
    public internal(set) var lacksSizes = false

    /// Marks the absence of a further access in ``nextAccesses``.
    public static let noAccess = UInt32.max

    /// A part of the trace whose times fit in 32 bits: up to 71 minutes.
    public struct Epoch: Sendable, Equatable {
        /// The position of its first access.
        public var start: Int
        /// Microseconds since the start of the trace.
        public var time: Int64
    }

    /// An event that is not a plain request.
    public struct Exception: Sendable, Equatable {
        /// The position of an `access`, or of the access before which a loss of memory or a removal happens.
        public var position: Int
        public var kind: Kind

        /// The kind of exception.
        public enum Kind: Sendable, Equatable {
            /// A memory warning: everything in memory is lost, and the app keeps running.
            case memoryWarning
            /// The app ended and starts again at `time`, in microseconds: everything in memory is lost, and timers
            /// restart.
            case relaunch(time: Int64)
            /// The app removed an object of this number.
            case removal(object: UInt32)
            /// A prefetch, which is an access but not a request, or an access to an object with failed fetches. The nth
            /// fetch of `key` is admitted if the nth outcome is true. Without outcomes every fetch succeeds.
            case access(isRequest: Bool, key: ObjectID, outcomes: [Bool])
            /// A request whose size differs from that of the object's request before: a held object is stored anew.
            case resized

            /// Whether the exception is an access of the trace, in place of an event between two.
            public var isAccess: Bool {
                switch self {
                case .access, .resized: true
                case .memoryWarning, .relaunch, .removal: false
                }
            }

            public var isRequest: Bool {
                if case .access(let isRequest, _, _) = self { isRequest } else { self == .resized }
            }
        }
    }

    /// Creates a trace of plain requests of objects of size 1. What else there is, is set afterwards.
    init(
        objects: TraceColumn<UInt32>, ticks: TraceColumn<UInt32>, epochs: [Epoch], objectCount: Int,
        uniqueBytes: Int, requestBytes: Int
    ) {
        self.objects = objects
        self.ticks = ticks
        self.epochs = epochs
        self.objectCount = objectCount
        self.uniqueBytes = uniqueBytes
        self.requestBytes = requestBytes
    }

    /// Whether the trace has the times of its accesses.
    public var hasTimes: Bool { ticks.count == objects.count }

    /// Returns the bytes of an object.
    public func size(of object: UInt32) -> Int { sizes?[Int(object)] ?? 1 }

    /// Returns the bytes of an access.
    public func size(ofAccess access: Int) -> Int { requestSizes?[access] ?? size(of: objects[access]) }

    /// Returns the variant of an object.
    public func variant(of object: UInt32) -> Variant {
        variants?[Int(object)] == Variant.thumbnail.rawValue ? .thumbnail : .full
    }

    /// Returns the time of an access in microseconds since the start of the trace.
    ///
    /// - Complexity: O(log n) in the number of epochs. To visit all accesses, use ``forEachEpoch(_:)``.
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

extension DenseTrace {
    /// Returns this trace with ``nextAccesses``, which are computed unless the trace was compiled.
    public func withNextAccesses() -> DenseTrace {
        guard nextAccesses == nil else { return self }
        var trace = self
        trace.nextAccesses = computedNextAccesses()
        return trace
    }

    /// Computes ``nextAccesses`` in one pass from the end. At most 2^32 - 1 accesses can be numbered.
    public func computedNextAccesses() -> TraceColumn<UInt32> {
        var following = [UInt32](repeating: Self.noAccess, count: objectCount)
        var next = ColumnBuilder<UInt32>()
        next.reserve(objects.count)
        next.append(objects.count) { next in
            objects.withUnsafeBufferPointer { objects in
                // Invariant: objects are below `objectCount`.
                following.withUnsafeMutableBufferPointer { following in
                    for access in stride(from: objects.count - 1, through: 0, by: -1) {
                        let object = Int(objects[access])
                        next[access] = following[object]
                        following[object] = UInt32(truncatingIfNeeded: access)
                    }
                }
            }
        }
        return next.finish()
    }
}
