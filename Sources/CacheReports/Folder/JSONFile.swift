import Foundation

/// JSON files as the results folder holds them: keys sorted, so that they can be compared as text.
enum JSONFile {
    /// - Parameter indented: for files that people read.
    static func text(_ value: some Encodable, indented: Bool, file: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            indented ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        } catch {
            throw ResultsError(.badData, file: file, "cannot be written as JSON: a figure is not a finite number")
        }
    }

    /// - Throws: ``ResultsError`` of kind `notFound`, `ioError`, or `badData` when it is not a whole `Value`.
    static func read<Value: Decodable>(_ type: Value.Type, at path: String, remedy: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: try FileText.bytes(at: path))
        } catch let error as DecodingError {
            throw ResultsError(.badData, file: path, "\(reason(error)); \(remedy)")
        }
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

enum FileText {
    static func bytes(at path: String) throws -> Data {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ResultsError(.notFound, file: path, "no such file; check the path")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ResultsError(.ioError, file: path, "cannot be read; check that it is a file and that you may read it")
        }
        return data
    }

    static func read(_ path: String) throws -> String {
        guard let text = String(data: try bytes(at: path), encoding: .utf8) else {
            throw ResultsError(.badData, file: path, "not UTF-8 text")
        }
        return text
    }
}
