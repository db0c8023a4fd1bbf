/// A batch of requests with 64-bit ids, as columns, which is added to ``Requests``.
///
/// Invariant: `count` is within `0...capacity`; every pointer has `capacity` places, all initialised.
struct NumberedBatch: ~Copyable {
    /// Large enough to load many slots in parallel, and small enough for the first-level cache.
    static let capacity = 256

    let ids = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    /// The codes of the sizes; see ``Requests/code(_:)``.
    let sizes = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    /// The sizes whose code is ``NumberTable/otherSize``.
    let largeSizes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    let times = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    /// The places of the ids in the table.
    let places = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    var count = 0

    init() {
        ids.initialize(repeating: 0, count: Self.capacity)
        sizes.initialize(repeating: 0, count: Self.capacity)
        largeSizes.initialize(repeating: 0, count: Self.capacity)
        times.initialize(repeating: 0, count: Self.capacity)
        places.initialize(repeating: 0, count: Self.capacity)
    }

    deinit {
        ids.deallocate()
        sizes.deallocate()
        largeSizes.deallocate()
        times.deallocate()
        places.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get { count == Self.capacity }
    }

    /// Appends a request. The batch must not be full.
    @inline(__always)
    mutating func append(_ id: UInt64, at time: Int64, bytes: Int) {
        set(count, id, at: time, bytes: bytes)
        count &+= 1
    }

    /// Sets the request at `index`, which is below `capacity`. The caller also sets `count`.
    @inline(__always)
    func set(_ index: Int, _ id: UInt64, at time: Int64, bytes: Int) {
        ids[index] = id
        times[index] = time
        let code = Requests.code(bytes)
        sizes[index] = code
        if code == NumberTable.otherSize { largeSizes[index] = bytes }
    }
}
