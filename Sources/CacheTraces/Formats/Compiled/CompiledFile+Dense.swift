import SessionModel

extension CompiledFile {
    /// Whether the file contains a session, and not only requests.
    var holdsSession: Bool { get throws { try column(.session, as: UInt8.self) != nil } }

    /// Returns columns in place, after checking that every number that is used as an index is in range.
    ///
    /// Columns that are not asked for are neither verified nor paged in.
    func dense(usesSizes: Bool, columns: DenseTrace.Columns = .all) throws -> DenseTrace {
        let objects = try required(.objects, as: UInt32.self)
        try checkObjects(objects)
        let ticks = columns.contains(.times) ? try required(.ticks, as: UInt32.self) : TraceColumn([])
        let epochs = try epochs()
        let next = columns.contains(.nextAccesses) ? try required(.next, as: UInt32.self) : nil
        if let next { try checkNext(next) }
        let variants = try column(.variants, as: UInt8.self)
        if let variants, let wrong = variants.firstIndex(where: { $0 > 1 }) {
            throw problem(.variants, wrong, "expected the variant 0 or 1, found \(variants[wrong])")
        }
        let sizes = usesSizes ? try required(.sizes, as: Int.self) : nil
        if let sizes, let wrong = sizes.firstIndex(where: { $0 < 0 || $0 > TraceLimits.bytes }) {
            throw problem(.sizes, wrong, "expected a size from 0 to \(TraceLimits.bytes) bytes, found \(sizes[wrong])")
        }
        let exceptions = try exceptions()
        let prefetches = exceptions.count { if case .access(isRequest: false, _, _) = $0.kind { true } else { false } }
        var trace = DenseTrace(
            objects: objects, ticks: ticks, epochs: epochs, objectCount: objectCount,
            uniqueBytes: sizes?.reduce(0, &+) ?? objectCount,
            requestBytes: usesSizes ? requestBytes : accesses - prefetches)
        (trace.sizes, trace.variants, trace.nextAccesses, trace.exceptions) = (sizes, variants, next, exceptions)
        trace.lacksSizes = try sizes.map(lacksSizes) ?? false
        if columns.contains(.times) { try checkTicks(trace) }
        return trace
    }

    /// Returns whether all sizes are assumed. A size that only a fetch contains is marked as assumed, but is not 1.
    private func lacksSizes(_ sizes: TraceColumn<Int>) throws -> Bool {
        guard let assumed = try column(.assumed, as: UInt8.self) else { return false }
        return assumed.allSatisfy { $0 == 1 } && sizes.allSatisfy { $0 == 1 }
    }

    private func checkObjects(_ objects: TraceColumn<UInt32>) throws {
        let largest = objects.withUnsafeBufferPointer { $0.reduce(0) { max($0, $1) } }
        guard Int(largest) >= objectCount, let wrong = objects.firstIndex(where: { $0 >= objectCount }) else { return }
        throw problem(
            .objects, wrong,
            "expected an object below \(objectCount), found \(objects[wrong]). Compile the source again")
    }

    /// Checks that each next access follows its access.
    private func checkNext(_ next: TraceColumn<UInt32>) throws {
        let count = UInt32(accesses)
        let wrong = next.withUnsafeBufferPointer { next in
            var wrong = 0
            for index in 0..<next.count {
                let isLater = next[index] > UInt32(truncatingIfNeeded: index) && next[index] < count
                wrong &+= isLater || next[index] == DenseTrace.noAccess ? 0 : 1
            }
            return wrong
        }
        guard wrong > 0 else { return }
        for (index, value) in next.enumerated() where value != DenseTrace.noAccess && (value <= index || value >= count)
        {
            throw problem(
                .next, index, "expected the position of a later access, found \(value). Compile the source again")
        }
    }

    private func checkTicks(_ trace: DenseTrace) throws {
        try trace.forEachEpoch { _, range in
            let falls = trace.ticks.withUnsafeBufferPointer { ticks in
                var falls = 0
                // Invariant: epochs lie within the column.
                for index in range.lowerBound..<range.upperBound &- 1 {
                    falls &+= ticks[index &+ 1] < ticks[index] ? 1 : 0
                }
                return falls
            }
            guard falls > 0, let wrong = range.dropFirst().first(where: { trace.ticks[$0] < trace.ticks[$0 - 1] })
            else { return }
            throw problem(.ticks, wrong, "the time falls here. Compile the source again")
        }
        // Across epochs.
        for (one, other) in zip(trace.epochs, trace.epochs.dropFirst())
        where other.time < one.time + Int64(trace.ticks[other.start - 1]) {
            throw problem(.ticks, other.start, "the time falls here. Compile the source again")
        }
    }

    private struct EpochRecord: BitwiseCopyable, Sendable {
        var start: UInt64
        var time: Int64
    }

    private func epochs() throws -> [DenseTrace.Epoch] {
        let records = try required(.epochs, as: EpochRecord.self)
        guard records.isEmpty == (accesses == 0) else {
            throw problem(.epochs, 0, "epochs without accesses, or accesses without")
        }
        var epochs: [DenseTrace.Epoch] = []
        epochs.reserveCapacity(records.count)
        for (index, record) in records.enumerated() {
            let start = Int(clamping: record.start)
            guard index == 0 ? start == 0 : start > epochs[index - 1].start, start < accesses else {
                throw problem(.epochs, index, "epochs must begin with the first access, one behind the other")
            }
            guard record.time >= 0, record.time <= TraceLimits.time else {
                throw problem(.epochs, index, within: 8, "the time \(record.time) is out of range")
            }
            epochs.append(.init(start: start, time: record.time))
        }
        return epochs
    }
}
