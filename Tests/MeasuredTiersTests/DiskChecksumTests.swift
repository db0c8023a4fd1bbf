import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk checksum and names")
struct DiskChecksumTests {
    /// Byte by byte, as the definition reads.
    private func slowSums(_ bytes: [UInt8]) -> (sums: [UInt64], ordered: [UInt64]) {
        var sums = [UInt64](repeating: 0, count: 8)
        var ordered = sums
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count % 64)
        for block in stride(from: 0, to: padded.count, by: 64) {
            for lane in 0..<8 {
                let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(padded[block + lane * 8 + $1]) << UInt64(8 * $1) }
                sums[lane] &+= word
                ordered[lane] &+= sums[lane]
            }
        }
        return (sums, ordered)
    }

    private func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { DiskChecksum.of($0, seed: seed) }
    }

    @Test("The fast sums equal the slow ones in every lane, for every length up to 300")
    func slowTwin() {
        var seen: Set<UInt64> = []
        for count in 0...300 {
            let bytes = Payload.sample(count, count: count).array
            let (sums, ordered) = slowSums(bytes)
            #expect(
                DiskChecksum.join(sums: SIMD8(sums), ordered: SIMD8(ordered), seed: 5, count: count)
                    == checksum(bytes, seed: 5))
            seen.insert(checksum(bytes))
        }
        #expect(seen.count == 301)
    }

    @Test("Detects every flipped bit, every cut and every pair of swapped words")
    func seesDamage() {
        let bytes = Payload.sample(1, count: 200).array
        let right = checksum(bytes)
        for bit in 0..<1600 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(checksum(flipped) != right)
        }
        for count in 0..<200 { #expect(checksum(Array(bytes[..<count])) != right) }
        for one in 0..<25 {
            for other in 0..<one {
                var swapped = bytes
                for byte in 0..<8 { swapped.swapAt(one * 8 + byte, other * 8 + byte) }
                #expect(checksum(swapped) != right, "\(one) and \(other)")
            }
        }
        #expect(checksum(bytes, seed: 1) != right)
        #expect(checksum([0, 0]) != checksum([0]))
    }

    @Test("A name is parsed from its file, and sorts like its text")
    func namesRoundTrip() throws {
        var texts: [(String, DiskName)] = []
        for number in 0..<500 {
            for variant in UInt8(0)...1 {
                let name = DiskName(key: "key \(number)", variant: variant)
                let path = name.withPath { String(cString: $0) }
                #expect(path.prefix(2) == DiskLayout.subfolder(name.folder))
                #expect(DiskName(file: String(path.dropFirst(3)), inFolder: name.folder) == name)
                #expect(DiskName(file: String(path.dropFirst(3)), inFolder: name.folder ^ 1) == nil)
                texts.append((path, name))
            }
        }
        #expect(texts.sorted { $0.0 < $1.0 }.map(\.1) == texts.map(\.1).sorted())
        let digits = String(repeating: "0", count: 31)
        for text in [
            "", "0", digits, digits + "g", digits + "a", digits + "00", digits + "0-", digits + "0-1", digits + "0-00",
        ] {
            #expect(DiskName(file: text, inFolder: 0) == nil, "\(text)")
        }
    }
}
