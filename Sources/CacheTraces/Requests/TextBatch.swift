/// A batch of requests with texts as keys, as columns. The bytes of the keys stay in the file.
///
/// Invariant: `count` is within `0...capacity`; every pointer has `capacity` places, all initialised.
struct TextBatch: ~Copyable {
    /// Large enough to load many slots and keys in parallel, and small enough for the first-level cache.
    static let capacity = 128

    let keys = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: capacity)
    let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    let times = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    /// The codes of the sizes; see ``Requests/code(_:)``.
    let sizes = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    /// The sizes whose code is ``NumberTable/otherSize``.
    let largeSizes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    /// The records that ``TextTable/find(_:into:)`` has found; nil for keys that it has not found.
    let records = UnsafeMutablePointer<TextStore.Record?>.allocate(capacity: capacity)
    var count = 0

    init() {
        keys.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: Self.capacity)
        hashes.initialize(repeating: 0, count: Self.capacity)
        times.initialize(repeating: 0, count: Self.capacity)
        sizes.initialize(repeating: 0, count: Self.capacity)
        largeSizes.initialize(repeating: 0, count: Self.capacity)
        records.initialize(repeating: nil, count: Self.capacity)
    }

    deinit {
        keys.deallocate()
        hashes.deallocate()
        times.deallocate()
        sizes.deallocate()
        largeSizes.deallocate()
        records.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get { count == Self.capacity }
    }

    /// Appends a request. The batch must not be full.
    @inline(__always)
    mutating func append(_ key: UnsafeRawBufferPointer, hash: UInt64, at time: Int64, bytes: Int) {
        keys[count] = key
        hashes[count] = hash
        times[count] = time
        let code = Requests.code(bytes)
        sizes[count] = code
        if code == NumberTable.otherSize { largeSizes[count] = bytes }
        count &+= 1
    }

    func bytes(_ index: Int) -> Int {
        let code = sizes[index]
        return code == Requests.unknownCode
            ? Requests.unknownSize : code == NumberTable.otherSize ? largeSizes[index] : Int(code)
    }
}
