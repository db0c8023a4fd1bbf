import Basics
import Foundation

/// The JSON files of a results folder.
package enum JSONFile {
    /// Returns a value as JSON with a line break at the end.
    /// - Throws: ``ResultsError`` of kind `badData` if a number is not finite.
    package static func text(
        _ value: some Encodable, file: String, _ layout: JSONWriter.Layout = .spaced
    ) throws -> String {
        do { return try JSONWriter.encoding(value, layout).text + "\n" } catch {
            throw ResultsError(notFinite: file)
        }
    }

    /// Returns the value in a file.
    /// - Parameter remedy: What the message recommends when the file does not hold a whole `Value`.
    /// - Throws: ``ResultsError``: `notFound`, `ioError` or `badData`.
    package static func read<Value: Decodable>(_ type: Value.Type, at path: String, remedy: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: try bytes(at: path))
        } catch let error as DecodingError {
            throw ResultsError(.badData, file: path, "\(reason(error)); \(remedy)")
        }
    }

    /// Returns the bytes of a file. Reading ends at a byte that JSON cannot have: a file with holes can have many
    /// gigabytes of them.
    private static func bytes(at path: String) throws -> Data {
        guard ResultFile.exists(path) else { return try ResultFile.bytes(at: path) }
        guard let file = FileHandle(forReadingAtPath: path) else { return try ResultFile.bytes(at: path) }
        defer { try? file.close() }
        var data = Data()
        while let block = try? file.read(upToCount: 1 << 20), !block.isEmpty {
            data.append(block)
            if block.contains(0) { break }
        }
        return data
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "the field \(place(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(place(context.codingPath)) has another type than expected"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "not whole, or not JSON"
        case .dataCorrupted(let context): "the field \(place(context.codingPath)) has a value that is not expected"
        @unknown default: "cannot be read"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
    }
}
