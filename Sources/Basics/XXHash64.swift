/// The hash XXH64: 32 bytes in a step of four independent lanes, above 10 GB/s without special instructions.
///
/// Source: Yann Collet, xxHash fast digest algorithm, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md,
/// XXH64. As a checksum it finds damage, not forgery.
public enum XXHash64 {
    @inlinable static var prime1: UInt64 { 0x9E37_79B1_85EB_CA87 }
    @inlinable static var prime2: UInt64 { 0xC2B2_AE3D_27D4_EB4F }
    @inlinable static var prime3: UInt64 { 0x1656_67B1_9E37_79F9 }
    @inlinable static var prime4: UInt64 { 0x85EB_CA77_C2B2_AE63 }
    @inlinable static var prime5: UInt64 { 0x27D4_EB2F_1656_67C5 }

    /// The bytes of a step.
    static var stripe: Int { 32 }

    /// The state of the four lanes with seed 0.
    struct Lanes {
        private var (one, two, three, four) = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)

        /// Adds all whole stripes of bytes, and returns their end.
        mutating func add(_ bytes: UnsafeRawBufferPointer) -> Int {
            // Copies, which stay in registers.
            var (one, two, three, four) = (one, two, three, four)
            var index = 0
            // Invariant: `index + 32` is within the bytes.
            while index &+ stripe <= bytes.count {
                one = round(one, little(bytes, index))
                two = round(two, little(bytes, index &+ 8))
                three = round(three, little(bytes, index &+ 16))
                four = round(four, little(bytes, index &+ 24))
                index &+= stripe
            }
            (self.one, self.two, self.three, self.four) = (one, two, three, four)
            return index
        }

        /// The hash of the stripes, without their length.
        var merged: UInt64 {
            var hash = rotated(one, 1) &+ rotated(two, 7) &+ rotated(three, 12) &+ rotated(four, 18)
            for lane in [one, two, three, four] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
            return hash
        }
    }

    /// Returns the hash of bytes with seed 0.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = prime5
        var end = 0
        if bytes.count >= stripe {
            var lanes = Lanes()
            end = lanes.add(bytes)
            hash = lanes.merged
        }
        return ended(hash &+ UInt64(bytes.count), UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }

    /// Returns a hash with the bytes behind the last stripe.
    static func ended(_ start: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var (hash, index) = (start, 0)
        while index + 8 <= bytes.count {
            hash = adding(little(bytes, index), to: hash)
            index += 8
        }
        if index + 4 <= bytes.count {
            let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)))
            hash = rotated(hash ^ word &* prime1, 23) &* prime2 &+ prime3
            index += 4
        }
        while index < bytes.count {
            hash = rotated(hash ^ UInt64(bytes[index]) &* prime5, 11) &* prime1
            index += 1
        }
        return finished(hash)
    }

    /// Returns the hash of the eight bytes of a number, the lowest byte first.
    @inlinable public static func hash(_ number: UInt64, seed: UInt64) -> UInt64 {
        finished(adding(number, to: seed &+ prime5 &+ 8))
    }

    @inlinable @inline(__always)
    static func adding(_ word: UInt64, to hash: UInt64) -> UInt64 {
        rotated(hash ^ round(0, word), 27) &* prime1 &+ prime4
    }

    @inlinable @inline(__always)
    static func finished(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ hash &>> 33) &* prime2
        hash = (hash ^ hash &>> 29) &* prime3
        return hash ^ hash &>> 32
    }

    @inlinable @inline(__always)
    static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 { rotated(lane &+ input &* prime2, 31) &* prime1 }

    @inlinable @inline(__always)
    static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

    @inline(__always)
    static func little(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

extension XXHash64 {
    /// The hash XXH64 with seed 0 of bytes that come in parts of any length. It equals ``checksum(_:)`` for all of
    /// them.
    package struct Stream {
        private var lanes = Lanes()
        /// The bytes behind the last whole stripe; fewer than a stripe has.
        private var rest: [UInt8] = []
        private var count: UInt64 = 0

        package init() { rest.reserveCapacity(stripe) }

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
