import Foundation
import SessionModel

/// The index of a folder of kept bodies: which content came for which key while a trace was recorded.
///
/// The folder holds each content once, as `ab/cd/abcd…`, named by the SHA-256 of its bytes in hexadecimal, and
/// `index.jsonl`: JSON Lines, appended to as bodies come, so that a line that breaks off at the end, after a kill, is
/// dropped:
///
///     {"key":"https://example.com/1.jpg","sha256":"5f70bf18a0…","bytes":48213,"type":"image/jpeg"}
///
/// `key` is that of the trace, `bytes` those of the file, `type` the content type and `encoding` the content encoding
/// in which the bytes are (`gzip`), both where there was one. A key that brought several contents has a line for each.
public struct BodyIndex: Sendable {
    public struct Entry: Sendable, Equatable {
        public var key: String
        /// 64 hexadecimal digits, in lower case.
        public var sha256: String
        public var bytes: Int
        public var contentType: String?
        public var contentEncoding: String?

        public init(key: String, sha256: String, bytes: Int, contentType: String? = nil, contentEncoding: String? = nil)
        {
            self.key = key
            self.sha256 = sha256
            self.bytes = bytes
            self.contentType = contentType
            self.contentEncoding = contentEncoding
        }
    }

    public let folder: String
    /// Of each key, in the order in which they came.
    public private(set) var entries: [String: [Entry]] = [:]
    /// Bytes of the file up to the end of its last whole line.
    package private(set) var wholeBytes = 0

    /// Reads the index of a folder. Throws ``TraceError``.
    public init(folder: String) throws {
        self.folder = folder
        let file = Self.file(in: folder)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw TraceError(
                .notFound, file: file,
                "no such file; --bodies names a folder that `cachereplay record proxy --keep-bodies` filled")
        }
        try read(Array(data), file: file)
    }

    package static func file(in folder: String) -> String { folder + "/index.jsonl" }

    /// Where the bytes of a content are.
    public func path(_ entry: Entry) -> String { Self.path(of: entry.sha256, in: folder) }

    package static func path(of sha256: String, in folder: String) -> String {
        "\(folder)/\(sha256.prefix(2))/\(sha256.dropFirst(2).prefix(2))/\(sha256)"
    }

    /// The kept body of each object of a trace; nil where there is none of the size that the trace says.
    ///
    /// Throws ``TraceError`` where a file that the index names is missing or has another size: half a folder is not to
    /// pass for a whole.
    public func bodies(of trace: Trace) throws -> [Entry?] {
        try trace.objects.map { object in
            guard let entry = entries[object.key]?.first(where: { $0.bytes == object.bytes }) else { return nil }
            let attributes = try? FileManager.default.attributesOfItem(atPath: path(entry))
            guard let size = attributes?[.size] as? Int else {
                throw TraceError(
                    .notFound, file: path(entry),
                    "no such file, though the index names it for \(object.key.prefix(80)); was the folder copied whole?"
                )
            }
            guard size == entry.bytes else {
                throw TraceError(
                    file: path(entry),
                    "holds \(size) bytes, but the index says \(entry.bytes); was the folder copied whole?")
            }
            return entry
        }
    }

    private mutating func read(_ bytes: [UInt8], file: String) throws {
        var number = 0
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let entry: Entry
                do { entry = try Self.entry(bytes, start..<end) } catch let error as JSONError {
                    throw TraceError(file: file, at: .line(number), error.message)
                }
                entries[entry.key, default: []].append(entry)
                start = end + 1
            }
            wholeBytes = start
        }
    }

    private static func entry(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(JSONError) -> Entry {
        var scanner = JSONScanner(bytes, in: range)
        var entry = Entry(key: "", sha256: "", bytes: -1)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "key": entry.key = try scanner.text().decoded()
            case "sha256": entry.sha256 = try scanner.text().decoded()
            case "bytes": entry.bytes = Int(clamping: try scanner.integer())
            case "type": entry.contentType = try scanner.text().decoded()
            case "encoding": entry.contentEncoding = try scanner.text().decoded()
            default: try scanner.skipValue()
            }
        }
        let digits = entry.sha256.utf8
        // A name that is no hash could name a file outside of the folder.
        guard digits.count == 64, digits.allSatisfy({ "0123456789abcdef".utf8.contains($0) }), entry.bytes >= 0 else {
            throw JSONError(
                offset: range.lowerBound, message: "expected {\"key\":…,\"sha256\":64 hexadecimal digits,\"bytes\":…}",
                isCutShort: false)
        }
        return entry
    }
}
