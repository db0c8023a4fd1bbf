import NIOHTTP1

/// The head of a response from the lines that libcurl hands over: a status line, fields, an empty line.
struct ResponseHeadParser {
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    private(set) var isComplete = false
    private var size = 0

    /// Of the whole head, in bytes: libcurl bounds each line, not their number.
    private static let limit = 256 << 10

    /// False where the head is longer than any that makes sense.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        size += line.count
        guard size <= Self.limit else { return false }
        let text = String(decoding: line.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        if text.isEmpty {
            isComplete = true
        } else if status == 0 {
            // `HTTP/1.1 200 OK`, `HTTP/2 200`
            let words = text.split(separator: " ", maxSplits: 2)
            guard words.count > 1, let number = Int(words[1]), (100...999).contains(number) else { return false }
            status = number
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.add(name: String(text[..<colon]), value: String(value))
        }
        return true
    }
}
