import SessionModel

extension RequestTransfer {
    /// Writes the requests in the native format. The line of each object stands before its first request.
    ///
    /// - Throws: The errors of the output.
    func encodeJSONLines(_ output: inout BlockWriter) throws {
        var encoder = JSONLinesEncoder()
        encoder.append(TraceHeader())
        var next = 0
        try forEach { time, object in
            while next <= object {
                encoder.append(TraceObject(key: keys.text(of: next), bytes: size(of: next)), as: ObjectID(next))
                next += 1
            }
            encoder.append(TraceEvent(time: time, .appear(ObjectID(object), .full)))
            try Self.pass(&encoder, &output, above: 1 << 16)
        }
        while next < objectCount {
            encoder.append(TraceObject(key: keys.text(of: next), bytes: size(of: next)), as: ObjectID(next))
            next += 1
            try Self.pass(&encoder, &output, above: 1 << 16)
        }
        try Self.pass(&encoder, &output, above: 0)
    }

    /// Passes on the lines of an encoder if they are more than `limit` bytes.
    private static func pass(
        _ encoder: inout JSONLinesEncoder, _ output: inout BlockWriter, above limit: Int
    ) throws {
        guard encoder.bytes.count > limit else { return }
        try encoder.bytes.withUnsafeBytes { try output.append($0) }
        encoder.removeAll()
    }
}
