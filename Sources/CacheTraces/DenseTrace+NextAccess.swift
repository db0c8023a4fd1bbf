extension DenseTrace {
    /// This trace with ``nextAccesses``: as they were compiled, or else computed now.
    public func knowingNextAccesses() -> DenseTrace {
        guard nextAccesses == nil else { return self }
        var trace = self
        trace.nextAccesses = computedNextAccesses()
        return trace
    }

    /// By access: the position of the next access of the same object, ``noAccess`` where there is none; found in one
    /// walk from the end.
    ///
    /// What ``nextAccesses`` holds in compiled traces. At most 2^32 - 1 accesses can be numbered.
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
