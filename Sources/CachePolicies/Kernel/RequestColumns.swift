/// Requests as columns of numbers, in the layout of the kernel: 8 bytes for each request, and the properties of each
/// object once.
///
/// The columns are borrowed: the creator of a value keeps their memory alive and unchanged while it is in use. Columns
/// by request are equally long, and columns by object have a place for every number in `objects`.
public struct RequestColumns {
    /// By request: the object's number.
    public var objects: UnsafePointer<UInt32>
    /// By request: microseconds since `epoch`, never falling; nil for a trace without time.
    public var times: UnsafePointer<UInt32>?
    /// Microseconds since the start of the trace. Longer traces are run epoch by epoch.
    public var epoch: Int64
    /// By object: bytes; nil counts every object as size 1.
    public var sizes: UnsafePointer<Int>?
    /// By request: bytes; nil if every request has the size of its object.
    public var requestSizes: UnsafePointer<Int>?
    /// By object: how many objects of the whole trace it stands for; nil if the columns are no sample.
    public var weights: UnsafePointer<Double>?
    /// By object: 0 thumbnail, 1 full; nil if all are full.
    public var variants: UnsafePointer<UInt8>?
    /// By request: the position of the same object's next request, or `UInt32.max` if there is none; nil if no policy
    /// uses it.
    public var nexts: UnsafePointer<UInt32>?
    /// By request: its position; nil if the columns hold all requests, so that a request's index is its position.
    public var positions: UnsafePointer<UInt32>?

    @inlinable public init(
        objects: UnsafePointer<UInt32>, times: UnsafePointer<UInt32>? = nil, epoch: Int64 = 0,
        sizes: UnsafePointer<Int>? = nil,
        variants: UnsafePointer<UInt8>? = nil, nexts: UnsafePointer<UInt32>? = nil
    ) {
        self.objects = objects
        self.times = times
        self.epoch = epoch
        self.sizes = sizes
        self.variants = variants
        self.nexts = nexts
    }

    @inlinable public subscript(index: Int) -> Access {
        let object = Int(objects[index])
        return Access(
            object: object, size: requestSizes?[index] ?? sizes?[object] ?? 1, time: time(of: index),
            variant: variants?[object] ?? 1,
            position: positions.map { Int($0[index]) } ?? index, next: next(of: index))
    }

    @inlinable public func time(of index: Int) -> Int64 {
        guard let times else { return epoch }
        return epoch &+ Int64(times[index])
    }

    @inlinable public func next(of index: Int) -> Int {
        guard let nexts, nexts[index] != .max else { return .max }
        return Int(nexts[index])
    }

    /// Returns the sum over requests of their bytes.
    @inlinable public func bytes(of range: Range<Int>) -> Int {
        if let requestSizes { return range.reduce(0) { $0 &+ requestSizes[$1] } }
        guard let sizes else { return range.count }
        var bytes = 0
        for index in range { bytes &+= sizes[Int(objects[index])] }
        return bytes
    }
}
