import CachePolicies
import CacheTraces

extension DenseTrace {
    /// Lends the columns to `body` as the kernel reads them, at the trace's first epoch.
    public func withColumns<R>(_ body: (RequestColumns) throws -> R) rethrows -> R? {
        try objects.withUnsafeBufferPointer { objects in
            try ticks.withUnsafeBufferPointer { ticks in
                guard let base = objects.baseAddress else { return nil }
                var columns = RequestColumns(objects: base, times: ticks.baseAddress, epoch: epochs.first?.time ?? 0)
                defer { withExtendedLifetime((sizes, variants, nextAccesses)) {} }
                columns.sizes = sizes?.withUnsafeBufferPointer { $0.baseAddress }
                columns.variants = variants?.withUnsafeBufferPointer { $0.baseAddress }
                columns.nexts = nextAccesses?.withUnsafeBufferPointer { $0.baseAddress }
                return try body(columns)
            }
        }
    }
}
