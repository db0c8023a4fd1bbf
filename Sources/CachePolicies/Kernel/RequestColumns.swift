/// Requests, column by column, as the kernel reads them.
///
/// The columns are borrowed: whoever makes a value keeps their memory alive and unchanged while it is in use, and all
/// columns that are there are equally long.
public struct RequestColumns {
    public var objects: UnsafePointer<UInt32>
    /// Bytes per request; nil counts every object as size 1.
    public var sizes: UnsafePointer<Int>?
    /// Microseconds, never falling; nil stands for a trace without time.
    public var times: UnsafePointer<Int64>?
    /// 0 thumbnail, 1 full; nil where all are full.
    public var variants: UnsafePointer<UInt8>?

    @inlinable public init(
        objects: UnsafePointer<UInt32>, sizes: UnsafePointer<Int>? = nil, times: UnsafePointer<Int64>? = nil,
        variants: UnsafePointer<UInt8>? = nil
    ) {
        self.objects = objects
        self.sizes = sizes
        self.times = times
        self.variants = variants
    }

    @inlinable public subscript(index: Int) -> Access {
        Access(
            object: Int(objects[index]), size: sizes?[index] ?? 1, time: times?[index] ?? 0,
            variant: variants?[index] ?? 1)
    }
}
