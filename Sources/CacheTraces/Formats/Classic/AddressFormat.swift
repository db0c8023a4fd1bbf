/// The memory references of UCSD's courses: text, one reference per line; see <doc:ClassicTraces>.
enum AddressFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = NumberTable()
        notes.warnNoTimes()
        var requests = try TextRecords.read(input, &notes, expected: "lines as 's 0x1fffff50 1'") { line, requests in
            var scanner = LineScanner(line)
            guard let address = address(&scanner) else {
                throw TextRecords.Malformed(
                    "expected s or l, an address as 0x1fffff50 and a count, found \(line.excerpt)")
            }
            requests.append(ids.number(of: address), at: requests.ordinalTime, bytes: Requests.unknownSize)
        }
        requests.keep(ids) { "0x" + String($0, radix: 16) }
        return requests
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        TextRecords.allLines(of: head) { address(&$0) != nil } ? .byContent : .no
    }

    private static func address(_ scanner: inout LineScanner) -> UInt64? {
        let operation = scanner.word()
        guard operation.equals("s") || operation.equals("l") else { return nil }
        let word = scanner.word()
        guard (3...18).contains(word.count), word[0] == UInt8(ascii: "0"), word[1] == UInt8(ascii: "x") else {
            return nil
        }
        var address: UInt64 = 0
        for byte in word[2...] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            address = address << 4 | UInt64(digit)
        }
        return address
    }
}

extension TraceFormat {
    public static let address = TraceFormat(
        name: "address", summary: "UCSD address text: loads and stores", fileEndings: [],
        sniff: AddressFormat.sniff, readsText: true, requests: AddressFormat.requests)
}
