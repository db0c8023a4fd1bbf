import SessionModel

extension CompiledFile {
    struct ExceptionRecord: BitwiseCopyable, Sendable {
        var position: UInt64
        var kind: UInt32
        var key: UInt32
        var firstOutcome: UInt32
        var outcomeCount: UInt32

        static let memoryWarning: UInt32 = 0
        static let request: UInt32 = 1
        static let prefetch: UInt32 = 2
        /// The outcome fields hold the upper and the lower half of the time.
        static let relaunch: UInt32 = 3
        /// The key is the number of the removed object.
        static let removal: UInt32 = 4

        /// Whether the record stands before an access, and is not one itself.
        var isLoss: Bool { kind == Self.memoryWarning || kind == Self.relaunch || kind == Self.removal }

        var relaunchTime: Int64 { Int64(bitPattern: UInt64(firstOutcome) << 32 | UInt64(outcomeCount)) }
    }

    /// Returns the exceptions, after checking their order and positions.
    func exceptions() throws -> [DenseTrace.Exception] {
        guard let records = try column(.exceptions, as: ExceptionRecord.self) else { return [] }
        let outcomes = try column(.outcomes, as: UInt8.self)
        var lists: [UInt64: [Bool]] = [:]
        // The lists of outcomes follow each other, so together they are not longer than the column.
        var listed = 0
        var exceptions: [DenseTrace.Exception] = []
        exceptions.reserveCapacity(records.count)
        var earliest = 0
        for (index, record) in records.enumerated() {
            let position = Int(clamping: record.position)
            let isLoss = record.isLoss
            guard position >= earliest, isLoss ? position <= accesses : position < accesses else {
                throw problem(
                    .exceptions, index, "the position \(record.position) is out of order or behind the last access")
            }
            earliest = isLoss ? position : position + 1
            guard record.kind <= ExceptionRecord.removal else {
                throw problem(.exceptions, index, within: 8, "the kind \(record.kind) is unknown")
            }
            guard !isLoss else {
                let kind: DenseTrace.Exception.Kind =
                    switch record.kind {
                    case ExceptionRecord.relaunch: .relaunch(time: record.relaunchTime)
                    case ExceptionRecord.removal: .removal(object: record.key)
                    default: .memoryWarning
                    }
                if case .removal(let object) = kind, object >= objectCount {
                    throw problem(.exceptions, index, within: 12, "there is no object \(object)")
                }
                exceptions.append(.init(position: position, kind: kind))
                continue
            }
            guard let key = ObjectID(exactly: record.key) else {
                throw problem(.exceptions, index, within: 12, "the key \(record.key) is out of range")
            }
            let place = UInt64(record.firstOutcome) << 32 | UInt64(record.outcomeCount)
            if record.outcomeCount > 0, lists[place] == nil {
                guard let outcomes, Int(record.firstOutcome) == listed,
                    Int(record.outcomeCount) <= outcomes.count - listed
                else {
                    throw problem(
                        .exceptions, index, within: 16, "the outcomes do not follow those before them, or are not there"
                    )
                }
                listed += Int(record.outcomeCount)
                lists[place] = outcomes[Int(record.firstOutcome)..<listed].map { $0 != 0 }
            }
            exceptions.append(
                .init(
                    position: position,
                    kind: .access(
                        isRequest: record.kind == ExceptionRecord.request, key: key, outcomes: lists[place] ?? [])))
        }
        return exceptions
    }
}
