extension XXHash64 {
    /// The hash XXH64 with seed 0 of bytes that come in parts of any length. It is that of ``checksum(_:)`` for all of
    /// them.
    package struct Stream {
        private var lanes = Lanes()
        /// The bytes behind the last whole stripe; fewer than a stripe has.
        private var rest: [UInt8] = []
        private var count: UInt64 = 0

        package init() { rest.reserveCapacity(stripe) }

        /// Adds the next bytes.
        package mutating func add(_ bytes: UnsafeRawBufferPointer) {
            count &+= UInt64(bytes.count)
            var start = 0
            if !rest.isEmpty {
                start = min(stripe - rest.count, bytes.count)
                rest.append(contentsOf: bytes[..<start])
                guard rest.count == stripe else { return }
                _ = rest.withUnsafeBytes { lanes.add($0) }
                rest.removeAll(keepingCapacity: true)
            }
            let behind = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let end = lanes.add(behind)
            rest.append(contentsOf: behind[end...])
        }

        /// The hash of the bytes so far.
        package var value: UInt64 {
            let hash = (count >= UInt64(stripe) ? lanes.merged : prime5) &+ count
            return rest.withUnsafeBytes { ended(hash, $0) }
        }
    }
}
