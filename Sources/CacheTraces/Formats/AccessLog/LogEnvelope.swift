import Foundation
import SessionModel

/// Removes what a collector writes before or around the lines of a server: the header of syslog, the time stamps of
/// containers and of CloudWatch, the names of Docker Compose, and Docker's JSON.
///
/// Envelopes can be nested. A line without an envelope is returned as it is, after a look at its first word.
struct LogEnvelope {
    /// Whether a line of the server itself can begin with a time stamp, as in the logs of Classic Load Balancers.
    private let keepsTimes: Bool
    private let scratch = Scratch()

    /// The members with which Docker's lines begin.
    private static let firstMembers: [StaticString] = [#"{"log""#, #"{"stream""#, #"{"time""#]

    /// The largest number of nested envelopes.
    private static let maximumDepth = 8

    init(_ dialect: LogDialect) { keepsTimes = dialect.name == .elb }

    /// Returns the line of the server. It is valid until the next call, and as long as `line`.
    func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var content = line
        for _ in 0..<Self.maximumDepth {
            guard let inner = peeled(content) else { break }
            content = inner
        }
        return content
    }

    private func peeled(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.count > 4 else { return nil }
        let first = line[0]
        if first == UInt8(ascii: "{") { return json(line) }
        if first == UInt8(ascii: "<") { return priority(line) }
        if first == 0x1B { return withoutColour(line) }
        guard first.isAlphanumeric || first == UInt8(ascii: "@"), let blank = line.blank(from: 1) else { return nil }
        if blank == 3, let rest = classicHeader(line) { return rest }
        if line[4] == UInt8(ascii: "-"), Self.isTime(line[..<blank]) { return behindTime(line, blank) }
        let last = line[blank - 1]
        if last == UInt8(ascii: ":"), blank > 2, line[blank - 2] != last { return line.rest(from: blank) }
        // `web-1  | …`
        let rest = line.rest(from: blank)
        guard rest.first == UInt8(ascii: "|"), rest.count > 2 else { return nil }
        if rest[1] == 0x1B { return withoutColour(UnsafeRawBufferPointer(rebasing: rest[1...])) }
        return rest[1] == 0x20 ? rest.rest(from: 1) : nil
    }

    /// Returns the text of a line of Docker's driver `json-file`, such as `{"log":"…\n","stream":"stdout","time":"…"}`.
    private func json(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        // The search of a whole line costs a tenth of the time of a log of JSON.
        guard Self.firstMembers.contains(where: { line.starts(with: $0) }), line.contains(#""log""#),
            line.contains(#""stream""#)
        else { return nil }
        var scanner = JSONScanner(line)
        do throws(JSONError) {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                guard "log" ~= key, try scanner.peek() == .string else {
                    try scanner.skipValue()
                    continue
                }
                return scratch.copy(try scanner.string().utf8)
            }
        } catch { return nil }
        return nil
    }

    /// Returns what follows `<134>`, and the rest of the header of RFC 5424 if its version follows.
    private func priority(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let end = line.prefix(5).firstIndex(of: UInt8(ascii: ">")), end > 1,
            line[1..<end].allSatisfy(\.isDigit)
        else { return nil }
        let rest = line.rest(from: end + 1)
        guard rest.count > 2, rest[0] == UInt8(ascii: "1"), rest[1] == 0x20 else { return rest }
        // Version, time, host, application, process and message.
        var scanner = LineScanner(rest)
        for _ in 0..<6 { _ = scanner.word() }
        scanner.skipBlanks()
        if scanner.next == UInt8(ascii: "[") {
            var (isQuoted, isEscaped) = (false, false)
            while let byte = scanner.next {
                _ = scanner.skip(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = isQuoted
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                } else if byte == UInt8(ascii: "]"), !isQuoted, scanner.next != UInt8(ascii: "[") {
                    break
                }
            }
        } else {
            _ = scanner.word()
        }
        scanner.skipBlanks()
        let message = scanner.rest
        return message.starts(with: [0xEF, 0xBB, 0xBF]) ? message.rest(from: 3) : message
    }

    /// Returns the message behind the header of RFC 3164, such as `Nov 30 23:59:58 web1 nginx: `.
    private func classicHeader(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.count > 16, line[6] == 0x20, line[9] == UInt8(ascii: ":"), line[12] == UInt8(ascii: ":"),
            line[5].isDigit, line[4] == 0x20 || line[4].isDigit,
            LogDate.months.contains(where: { $0.utf8.elementsEqual(line[..<3]) }), let end = line.blank(from: 13)
        else { return nil }
        let rest = line.rest(from: end)
        if let message = Self.behindTag(rest, words: 2) { return message }
        // The tag can be missing, and also the host.
        var scanner = LineScanner(rest)
        _ = scanner.word()
        scanner.skipBlanks()
        return scanner.next == UInt8(ascii: "-") ? rest : scanner.rest
    }

    /// Returns what follows a time stamp: the message of syslog, of a container's runtime, or the line itself.
    private func behindTime(_ line: UnsafeRawBufferPointer, _ blank: Int) -> UnsafeRawBufferPointer? {
        let rest = line.rest(from: blank)
        // `stdout F `, where the letter tells whether the line is complete.
        if rest.count > 9, rest.starts(with: "stdout ".utf8) || rest.starts(with: "stderr ".utf8),
            rest[8] == 0x20 || rest[8] == UInt8(ascii: ":"), let end = rest.blank(from: 7)
        {
            return rest.rest(from: end)
        }
        if let message = Self.behindTag(rest, words: 2) { return message }
        if keepsTimes {
            var words = LineScanner(rest)
            let (word, next) = (words.word(), words.word())
            return Self.isTime(word[...]) || Self.isTime(next[...]) ? rest : nil
        }
        return rest
    }

    /// Returns what follows a word such as `nginx:` or `nginx[7]:`, if one of the first words is one, or a JSON object
    /// behind the first word.
    private static func behindTag(_ text: UnsafeRawBufferPointer, words: Int) -> UnsafeRawBufferPointer? {
        var scanner = LineScanner(text)
        for number in 0..<words {
            let word = scanner.word()
            guard let last = word.last, word[0] != UInt8(ascii: "\"") else { return nil }
            if word[0] == UInt8(ascii: "{") {
                return number == 0 ? nil : text.rest(from: scanner.position - word.count)
            }
            if last == UInt8(ascii: ":"), word.count > 1, word[word.count - 2] != last {
                scanner.skipBlanks()
                return scanner.rest
            }
        }
        return nil
    }

    /// Returns whether a word begins as `2024-01-02T03:04:05`.
    private static func isTime(_ word: Slice<UnsafeRawBufferPointer>) -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: word)
        return text.count >= 19 && text[0].isDigit && text[4] == UInt8(ascii: "-") && text[7] == UInt8(ascii: "-")
            && text[10] == UInt8(ascii: "T") && text[13] == UInt8(ascii: ":") && text[16] == UInt8(ascii: ":")
            && Timestamp.microseconds(text.string) != nil
    }

    /// Returns what follows a code of a terminal such as `ESC[36m`, and those at the end of a container's name.
    private func withoutColour(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.count > 2, line[1] == UInt8(ascii: "["),
            let end = line.prefix(12).firstIndex(of: UInt8(ascii: "m"))
        else { return nil }
        return line.rest(from: end + 1)
    }

    /// The decoded text of a line.
    ///
    /// A class, so that the text stays in place while the envelope's owner changes.
    private final class Scratch {
        private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// The text of an outer envelope, which can contain the line that is copied.
        private var outer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        deinit {
            memory.deallocate()
            outer.deallocate()
        }

        /// Returns a copy without line ends.
        func copy(_ text: some Collection<UInt8>) -> UnsafeRawBufferPointer {
            swap(&memory, &outer)
            if memory.count < text.count {
                memory.deallocate()
                memory = .allocate(byteCount: max(4096, 2 * text.count), alignment: 16)
            }
            memory.copyBytes(from: text)
            var count = text.count
            while count > 0, memory[count - 1] == 0x0A || memory[count - 1] == 0x0D { count -= 1 }
            return UnsafeRawBufferPointer(rebasing: memory[..<count])
        }
    }
}

extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }

    fileprivate var isAlphanumeric: Bool { isDigit || (self | 0x20) &- 0x61 < 26 }
}

extension UnsafeRawBufferPointer {
    /// Returns the place of the next blank.
    fileprivate func blank(from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let blank = memchr(base + start, 0x20, count - start) else {
            return nil
        }
        return UnsafeRawPointer(blank) - base
    }

    /// Returns the bytes from a place on, without blanks at their start.
    fileprivate func rest(from start: Int) -> UnsafeRawBufferPointer {
        var start = start
        while start < count, self[start] == 0x20 { start += 1 }
        return UnsafeRawBufferPointer(rebasing: self[start...])
    }

    func starts(with text: StaticString) -> Bool {
        guard let base = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(base, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Returns whether the bytes contain a text.
    func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard let base = baseAddress, count >= length else { return false }
        var start = 0
        while let found = memchr(base + start, Int32(text.utf8Start.pointee), count - length + 1 - start) {
            let place = UnsafeRawPointer(found)
            if memcmp(place, text.utf8Start, length) == 0 { return true }
            start = place - base + 1
            if start > count - length { return false }
        }
        return false
    }
}
