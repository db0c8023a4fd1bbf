import SessionModel

/// Plain text: one key per line; see <doc:ClassicTraces>.
enum PlainTextFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        notes.warnNoTimes()
        var requests = try TextRecords.read(input, &notes, expected: "a key on each line") { line, requests in
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            let start = line.firstIndex { !isBlank($0) } ?? line.endIndex
            let end = line.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
            guard let object = ids.number(of: UnsafeRawBufferPointer(rebasing: line[start..<end])) else {
                throw TextRecords.Malformed("the key is not UTF-8: \(line.excerpt); write the file as UTF-8")
            }
            requests.append(object, at: requests.ordinalTime, bytes: Requests.unknownSize)
        }
        requests.keep(ids)
        return requests
    }

    /// Numbers are keys in any file; other words only in a `.txt` file.
    static func sniff(_ head: TraceHead) -> Likelihood {
        guard !head.bytes.contains(0), !head.hasEnding([".csv", ".tsv"]) else { return .no }
        var areNumbers = true
        let areWords = TextRecords.allLines(of: head) { scanner in
            areNumbers = scanner.word().unsignedNumber != nil && areNumbers
            return scanner.word().isEmpty
        }
        guard areWords else { return .no }
        return areNumbers ? .byContent : head.hasEnding([".txt"]) ? .byName : .no
    }
}

extension TraceFormat {
    public static let plainText = TraceFormat(
        name: "text", summary: "plain text: a key per line", fileEndings: [".txt"],
        sniff: PlainTextFormat.sniff, requests: .text(PlainTextFormat.requests))
}

/// Arrays of big-endian signed integers, which are keys: cache2k and Corda; see <doc:ClassicTraces>.
///
/// The content is not specific, so the files are recognised by their names.
enum KeyArrayFormat {
    static func cache2k(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try read(input, &notes, Int32.self, "cache2k")
    }

    static func corda(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try read(input, &notes, Int64.self, "corda")
    }

    private static func read<Key: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
        _ input: TraceInput, _ notes: inout ReadingNotes, _ type: Key.Type, _ format: String
    ) throws -> Requests {
        let length = MemoryLayout<Key>.size
        notes.warnNoTimes()
        return try BinaryRecords.read(input, length: length, format: format, key: { String(Int64(bitPattern: $0)) }) {
            bytes, _, requests, ids in
            var time = requests.ordinalTime
            requests.append(bytes, length: length, numbering: &ids) { offset in
                defer { time &+= Requests.timeStep }
                let id = UInt64(bitPattern: Int64(bytes.big(offset, as: Key.self)))
                return (id, time, Requests.unknownSize)
            }
        }
    }
}

extension TraceFormat {
    public static let cache2k = TraceFormat(
        name: "cache2k", summary: "cache2k's binary: keys as big-endian 32-bit integers", fileEndings: [],
        sniff: { $0.name.contains("cache2k") ? .byName : .no }, requests: .whole(KeyArrayFormat.cache2k))

    public static let corda = TraceFormat(
        name: "corda", summary: "Corda's binary: keys as big-endian 64-bit integers", fileEndings: [],
        sniff: { $0.name.contains("corda") ? .byName : .no }, requests: .whole(KeyArrayFormat.corda))
}

/// The traces of the LIRS paper: text, one block number per line; see <doc:ClassicTraces>.
enum LIRSFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        notes.warnNoTimes()
        return try TextRecords.readNumbered(input, &notes, expected: "a block number on each line") { line, requests in
            var scanner = LineScanner(line)
            let word = scanner.word()
            if word.equals("*") { return }
            guard let block = word.unsignedNumber, scanner.word().isEmpty else {
                throw TextRecords.Malformed("expected a block number or '*', found \(line.excerpt)")
            }
            requests.append(block)
        }
    }

    /// Numbers alone are also plain text. The mark or the name identifies this format.
    static func sniff(_ head: TraceHead) -> Likelihood {
        var hasMark = head.name.contains("lirs")
        let isLIRS = TextRecords.allLines(of: head) { scanner in
            let word = scanner.word()
            if word.equals("*") { hasMark = true } else if word.unsignedNumber == nil { return false }
            return scanner.word().isEmpty
        }
        return isLIRS && hasMark ? .byContent : .no
    }
}

extension TraceFormat {
    public static let lirs = TraceFormat(
        name: "lirs", summary: "LIRS text: a block number per line, '*' skipped", fileEndings: [],
        sniff: LIRSFormat.sniff, requests: .text(LIRSFormat.requests))
}

/// The traces of the ARC paper (`.lis`): text, a run of blocks per line; see <doc:ClassicTraces>.
enum ARCFormat {
    /// The limit of blocks in one line: 32 MiB of 512-byte blocks, more than a disk request has. It bounds the memory
    /// that a few bytes can cause.
    static let maximumRun: UInt64 = 65_536
    /// The limit of requests in one file. The longest trace of the paper has 44 million.
    static let maximumRequests = 1 << 26

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        notes.warnNoTimes()
        return try TextRecords.readNumbered(input, &notes, expected: "lines of start, count, 0, ordinal") {
            line, requests in
            var scanner = LineScanner(line)
            guard let start = scanner.number(), let count = scanner.number() else {
                throw TextRecords.Malformed("expected the whole numbers start and count, found \(line.excerpt)")
            }
            guard count <= maximumRun, start <= UInt64.max - count else {
                throw TextRecords.Malformed(
                    "a run of \(count) blocks from \(start); expected at most \(maximumRun) blocks")
            }
            guard requests.count + Int(count) <= maximumRequests else {
                throw TraceError(
                    file: input.path, "the runs add up to more than \(maximumRequests) requests; split the file")
            }
            for block in start..<start + count { requests.append(block) }
        }
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        guard head.hasEnding([".lis"]) else { return .no }
        let areRuns = TextRecords.allLines(of: head) { scanner in
            (0..<4).allSatisfy { _ in scanner.number() != nil } && scanner.word().isEmpty
        }
        return areRuns ? .byContent : .byName
    }
}

extension TraceFormat {
    public static let arc = TraceFormat(
        name: "arc", summary: "ARC .lis text: a run of blocks per line", fileEndings: [".lis"],
        sniff: ARCFormat.sniff, requests: .text(ARCFormat.requests))
}

/// The memory references of UCSD's courses: text, one reference per line; see <doc:ClassicTraces>.
enum AddressFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        notes.warnNoTimes()
        return try TextRecords.readNumbered(
            input, &notes, expected: "lines as 's 0x1fffff50 1'", key: { "0x" + String($0, radix: 16) }
        ) { line, requests in
            var scanner = LineScanner(line)
            guard let address = address(&scanner) else {
                throw TextRecords.Malformed(
                    "expected s or l, an address as 0x1fffff50 and a count, found \(line.excerpt)")
            }
            requests.append(address)
        }
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
        sniff: AddressFormat.sniff, requests: .text(AddressFormat.requests))
}
