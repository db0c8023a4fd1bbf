import Basics
import Foundation
import SessionModel

/// The index of a folder of recorded bodies, which maps keys to contents.
///
/// The folder contains each content once, as `ab/cd/abcd…`, named by the SHA-256 of its bytes in hexadecimal, and the
/// file `index.jsonl` (JSON Lines). Recorders append to the file; an incomplete last line, after a kill, is dropped:
///
///     {"key":"https://example.com/1.jpg","sha256":"5f70bf18a0…","bytes":48213,"type":"image/jpeg"}
///
/// `key` is the key in the trace, `bytes` the size of the file, `type` the content type and `encoding` the content
/// encoding of the bytes (`gzip`), if the response had them. A key with several contents has a line for each.
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

        package var line: [UInt8] {
            var writer = JSONWriter.object {
                $0.member("key", key)
                $0.member("sha256", sha256)
                $0.member("bytes", bytes)
                if let contentType { $0.member("type", contentType) }
                if let contentEncoding { $0.member("encoding", contentEncoding) }
            }
            writer.newline()
            return writer.bytes
        }
    }

    public let folder: String
    /// The contents of each key, in the order of recording.
    public private(set) var entries: [String: [Entry]] = [:]

    /// Reads the index of a folder.
    ///
    /// - Throws: `TraceError`.
    public init(folder: String) throws {
        self.folder = folder
        let file = Self.file(in: folder)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw TraceError(
                .notFound, file: file,
                "no such file; --bodies names a folder that the addon for mitmproxy filled (session_bodies)")
        }
        try read(Array(data), file: file)
    }

    package static func file(in folder: String) -> String { folder + "/index.jsonl" }

    public func path(_ entry: Entry) -> String {
        "\(folder)/\(entry.sha256.prefix(2))/\(entry.sha256.dropFirst(2).prefix(2))/\(entry.sha256)"
    }

    /// Returns the recorded body of each object of a trace; nil if there is none with the size in the trace.
    ///
    /// - Throws: `TraceError` if a file that the index names is missing or has another size, because the folder is then
    ///   incomplete.
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
        // A name that is not a hash could lead to a file outside of the folder.
        guard digits.count == 64, digits.allSatisfy({ "0123456789abcdef".utf8.contains($0) }), entry.bytes >= 0 else {
            throw JSONError(
                offset: range.lowerBound, message: "expected {\"key\":…,\"sha256\":64 hexadecimal digits,\"bytes\":…}",
                isCutShort: false)
        }
        return entry
    }
}
