/// A trace reduced to what a policy sees: requests as columns of numbers.
///
/// An object here is a key in one variant, numbered 0, 1, 2 … in order of first appearance. Made once per trace, and shared by
/// every policy and capacity that is simulated.
public struct DenseTrace: Sendable {
    /// One element per access.
    public private(set) var objects: [UInt32] = []
    /// Bytes.
    public private(set) var sizes: [Int] = []
    /// Microseconds.
    public private(set) var times: [Int64] = []
    /// 0 thumbnail, 1 full.
    public private(set) var variants: [UInt8] = []
    /// What the plain loop of lookup and admission does not cover, in order of position.
    public private(set) var exceptions: [Exception] = []
    public private(set) var objectCount = 0
    /// The sum over objects of their bytes.
    public private(set) var uniqueBytes = 0

    public struct Exception: Sendable, Equatable {
        /// Happens before the access at this position; an `access` is the one at this position.
        public var position: Int
        public var kind: Kind

        public enum Kind: Sendable, Equatable {
            /// Everything in memory is lost: a memory warning, or the app's end.
            case loss
            /// A prefetch, which is an access but no request, or an access to an object some of whose recorded fetches
            /// failed: the nth fetch of `key` is admitted if the nth outcome says so. No outcomes: every fetch succeeds.
            case access(isRequest: Bool, key: ObjectID, outcomes: [Bool])
        }
    }

    /// `usesSizes`: without, every object has size 1.
    public init(_ trace: Trace, usesSizes: Bool = true) {
        let bytes = trace.resolvedSizes().bytes
        let fetches = Self.unreliableFetches(in: trace)
        var numbers = [UInt32?](repeating: nil, count: trace.objects.count * 2)
        func append(_ object: ObjectID, _ variant: Variant, at time: Int64, isPrefetch: Bool) {
            let place = Int(object) * 2 + Int(variant.rawValue)
            let size = usesSizes ? bytes[Int(object)] : 1
            if numbers[place] == nil {
                numbers[place] = UInt32(objectCount)
                objectCount += 1
                uniqueBytes += size
            }
            if isPrefetch || fetches[object] != nil {
                let kind = Exception.Kind.access(isRequest: !isPrefetch, key: object, outcomes: fetches[object] ?? [])
                exceptions.append(Exception(position: objects.count, kind: kind))
            }
            objects.append(numbers[place] ?? 0)
            sizes.append(size)
            times.append(time)
            variants.append(variant.rawValue)
        }
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant): append(object, variant, at: event.time, isPrefetch: false)
            case .prefetch(let object, let variant): append(object, variant, at: event.time, isPrefetch: true)
            case .memoryWarning, .terminate: exceptions.append(Exception(position: objects.count, kind: .loss))
            case .disappear, .scroll, .fetch, .background, .foreground: break
            }
        }
    }

    /// The same as ``init(_:usesSizes:)`` makes of the requests' ``Trace``.
    init(_ requests: consuming Requests, usesSizes: Bool = true) {
        var bytes = requests.sizes
        if !usesSizes {
            bytes = [Int](repeating: 1, count: bytes.count)
        } else if bytes.contains(Requests.unknownSize) {
            let known = bytes.filter { $0 != Requests.unknownSize }.sorted()
            let median = known.isEmpty ? 1 : known[known.count / 2]
            for object in bytes.indices where bytes[object] == Requests.unknownSize { bytes[object] = median }
        }
        objectCount = bytes.count
        uniqueBytes = bytes.reduce(0, +)
        sizes = [Int](unsafeUninitializedCapacity: requests.count) { sizes, count in
            if let base = sizes.baseAddress { HugePages.advise(base, length: requests.count * MemoryLayout<Int>.stride) }
            // Invariant: every object is below `bytes.count`, because `Requests` numbers them.
            bytes.withUnsafeBufferPointer { bytes in
                for (index, object) in requests.objects.enumerated() { sizes.initializeElement(at: index, to: bytes[Int(object)]) }
            }
            count = requests.count
        }
        variants = [UInt8](repeating: Variant.full.rawValue, count: requests.count)
        objects = requests.objects
        times = requests.times
    }

    /// Of each object with a failed fetch: which of its fetches succeeded, in order.
    private static func unreliableFetches(in trace: Trace) -> [ObjectID: [Bool]] {
        var outcomes: [ObjectID: [Bool]] = [:]
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) {
            outcomes[object, default: []].append(fetch.succeeded)
        }
        return outcomes.filter { $0.value.contains(false) }
    }
}
