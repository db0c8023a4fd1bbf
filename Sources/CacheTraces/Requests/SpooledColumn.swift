/// A column with a number of 32 bits for each request, of which only a window is in memory. The rest is in a temporary
/// file, which a column that fits in the window does not need.
final class SpooledColumn {
    private let file: SpoolFile
    /// The number of elements in memory at a time, or a few more.
    private let window: Int
    /// The elements behind those in the file.
    private var pending: [UInt32] = []
    private var written = 0

    private static let width = MemoryLayout<UInt32>.stride

    init(path: String, window: Int) {
        file = SpoolFile(path: path)
        self.window = max(1, window)
    }

    var count: Int { written + pending.count }

    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    func append(_ element: UInt32) throws {
        if pending.count >= window { try flush() }
        pending.append(element)
    }

    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    func append(_ elements: UnsafeBufferPointer<UInt32>) throws {
        if pending.count >= window { try flush() }
        pending.append(contentsOf: elements)
    }

    private func flush() throws {
        try pending.withUnsafeBytes { try file.write($0, at: written * Self.width) }
        written += pending.count
        pending.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with all elements, one window after the other.
    ///
    /// - Throws: `TraceError` if the temporary file cannot be read; the errors of `body`.
    func forEachWindow(_ body: (UnsafeBufferPointer<UInt32>) throws -> Void) throws {
        var block: [UInt32] = []
        var start = 0
        while start < count {
            try read(into: &block, from: start)
            try block.withUnsafeBufferPointer(body)
            start += block.count
        }
    }

    /// Replaces a block by the elements from `start` on, at most a window of those in the file, or all behind them.
    private func read(into block: inout [UInt32], from start: Int) throws {
        guard start < written else {
            block = pending
            return
        }
        let count = min(window, written - start)
        if block.count != count { block = [UInt32](repeating: 0, count: count) }
        try block.withUnsafeMutableBytes { try file.read(into: $0, at: start * Self.width) }
    }

    /// The elements of a column, one after the other.
    struct Reader {
        private let column: SpooledColumn
        private var block: [UInt32] = []
        private var place = 0
        private var passed = 0

        init(_ column: SpooledColumn) { self.column = column }

        /// Returns the next element, of which there must be one.
        ///
        /// - Throws: `TraceError` if the temporary file cannot be read.
        mutating func next() throws -> UInt32 {
            if place == block.count {
                passed += block.count
                try column.read(into: &block, from: passed)
                place = 0
            }
            defer { place += 1 }
            return block[place]
        }
    }

    /// Calls `body` with all elements, from the last window to the first, and keeps what it makes of them.
    ///
    /// - Parameter body: Receives the elements of a window and the position of the first of them.
    /// - Throws: `TraceError` if the temporary file cannot be read or written.
    func replaceFromEnd(_ body: (UnsafeMutableBufferPointer<UInt32>, _ start: Int) -> Void) throws {
        pending.withUnsafeMutableBufferPointer { if !$0.isEmpty { body($0, written) } }
        var block = [UInt32](repeating: 0, count: min(window, written))
        var end = written
        while end > 0 {
            let start = max(0, end - window)
            let length = (end - start) * Self.width
            try block.withUnsafeMutableBytes {
                try file.read(into: .init(rebasing: $0[..<length]), at: start * Self.width)
            }
            block.withUnsafeMutableBufferPointer { body(.init(rebasing: $0[..<(end - start)]), start) }
            try block.withUnsafeBytes { try file.write(.init(rebasing: $0[..<length]), at: start * Self.width) }
            end = start
        }
    }

    /// Replaces the object of each request by the position of its next request, in one pass from the end.
    ///
    /// - Parameters:
    ///   - objectCount: The number of objects; all elements are below it.
    ///   - none: The mark of an object without a further request.
    ///   - visit: Receives each object, in no order that matters.
    /// - Throws: `TraceError` if the temporary file cannot be read or written.
    @inline(__always)
    func replaceObjectsByNext(
        objectCount: Int, origin: Int = 0, none: UInt32 = DenseTrace.noAccess, visit: (Int) -> Void = { _ in }
    ) throws {
        var following = [UInt32](repeating: none, count: objectCount)
        try following.withUnsafeMutableBufferPointer { following in
            let following = following
            try replaceFromEnd { elements, start in
                for index in stride(from: elements.count - 1, through: 0, by: -1) {
                    // Invariant: objects are below `objectCount`.
                    let object = Int(elements[index])
                    visit(object)
                    elements[index] = following[object]
                    following[object] = UInt32(truncatingIfNeeded: start &+ index &+ origin)
                }
            }
        }
    }
}
