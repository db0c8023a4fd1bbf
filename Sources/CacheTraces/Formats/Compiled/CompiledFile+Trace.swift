import SessionModel

extension CompiledFile {
    /// Returns the whole trace: the session if the file contains one, otherwise that of the columns. All columns are
    /// checked.
    func trace() throws -> Trace {
        let dense = try dense(usesSizes: true)
        let assumed = try column(.assumed, as: UInt8.self)
        let keys = try keys()
        try checkNumbers(dense)
        if let session = try column(.session, as: UInt8.self) {
            let trace: Trace
            do {
                trace =
                    try session.withContiguousStorageIfAvailable { try SessionBytes.decode(UnsafeRawBufferPointer($0)) }
                    ?? Trace()
            } catch let damage as SessionBytes.Damage {
                throw problem(.session, damage.offset, "\(damage.message). Compile the source again")
            }
            guard dense.simulatesLike(DenseTrace(trace)) else {
                throw problem(.session, 0, "the session is not that of the columns. Compile the source again")
            }
            return trace
        }
        guard dense.exceptions.isEmpty, dense.variants == nil else {
            throw TraceError(
                file: input.path, at: .byte(12),
                "the column session is missing, although there are events beside requests. Compile the source again")
        }
        let objects = keys.indices.map {
            TraceObject(key: keys[$0], bytes: assumed?[$0] == 1 ? nil : dense.size(of: UInt32($0)))
        }
        return Trace(objects: objects, events: dense.appearances())
    }

    private func keys() throws -> [String] {
        let ends = try required(.keyEnds, as: UInt64.self)
        let text = try required(.keyText, as: UInt8.self)
        var start = 0
        var keys: [String] = []
        keys.reserveCapacity(ends.count)
        for (object, end) in ends.enumerated() {
            let end = Int(clamping: end)
            guard end >= start, end <= text.count, object + 1 < ends.count || end == text.count else {
                throw problem(.keyEnds, object, "keys must end one behind the other, the last with the text")
            }
            guard let key = String(validating: text[start..<end], as: UTF8.self) else {
                throw problem(.keyText, start, "the key of object \(object) is not UTF-8")
            }
            keys.append(key)
            start = end
        }
        return keys
    }

    /// Checks that objects are numbered in order of appearance, and that each access names the next of its object.
    private func checkNumbers(_ dense: DenseTrace) throws {
        var last = [Int](repeating: -1, count: objectCount)
        var appeared = 0
        for (index, object) in dense.objects.enumerated() {
            if last[Int(object)] < 0 {
                guard object == appeared else {
                    throw problem(.objects, index, "expected objects numbered in order of first appearance")
                }
                appeared += 1
            } else if let next = dense.nextAccesses?[last[Int(object)]], next != index {
                throw problem(
                    .next, last[Int(object)], "expected the next access of the same object at \(index), found \(next)")
            }
            last[Int(object)] = index
        }
        guard appeared == objectCount else {
            throw problem(.objects, 0, "\(objectCount) objects, of which \(appeared) appear")
        }
        for index in last where dense.nextAccesses?[index] != DenseTrace.noAccess {
            throw problem(.next, index, "expected no later access of the same object")
        }
    }
}

extension DenseTrace {
    /// Returns whether every simulation has the same result with both.
    func simulatesLike(_ other: DenseTrace) -> Bool {
        objects == other.objects && ticks == other.ticks && epochs == other.epochs && sizes == other.sizes
            && variants == other.variants
            && exceptions == other.exceptions && uniqueBytes == other.uniqueBytes && requestBytes == other.requestBytes
    }

    /// Returns each access as an `appear` of variant `full`.
    func appearances() -> [TraceEvent] {
        var events: [TraceEvent] = []
        events.reserveCapacity(objects.count)
        forEachEpoch { epoch, range in
            for index in range {
                events.append(
                    TraceEvent(time: epoch.time + Int64(ticks[index]), .appear(ObjectID(objects[index]), .full)))
            }
        }
        return events
    }
}
