/// A few requests of 64-bit ids, as columns, on their way into ``Requests``.
///
/// Invariant: `count` is within `0...capacity`; every pointer has `capacity` places, all initialised.
struct NumberedBatch: ~Copyable {
    /// Enough to keep memory busy, and little enough for the processor's nearest cache.
    static let capacity = 256

    let ids = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    /// As ``Requests/code(_:)``.
    let sizes = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    /// Where the size is ``NumberTable/otherSize``.
    let largeSizes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    let times = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    /// Where the ids are looked for.
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

    /// Not to be called when full.
    @inline(__always)
    mutating func append(_ id: UInt64, at time: Int64, bytes: Int) {
        set(count, id, at: time, bytes: bytes)
        count &+= 1
    }

    /// `index` is below `capacity`; whoever sets requests sets `count` as well.
    @inline(__always)
    func set(_ index: Int, _ id: UInt64, at time: Int64, bytes: Int) {
        ids[index] = id
        times[index] = time
        let code = Requests.code(bytes)
        sizes[index] = code
        if code == NumberTable.otherSize { largeSizes[index] = bytes }
    }
}
