import Basics
import Foundation
import Synchronization

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
        let file = try ResultFile.handle(path)
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

/// The writing of files that do not depend on each other.
enum FileWork {
    /// Writes files, and returns the number of bytes written.
    typealias Step = @Sendable () throws -> Int

    /// Takes all steps at the same time, each on a thread of its own: a thread that commits a file waits for the disk.
    ///
    /// - Returns: The number of bytes written.
    /// - Throws: The error of the first step that failed, after all steps have ended.
    static func all(_ steps: [Step]) throws -> Int {
        let results = Mutex([Result<Int, any Error>?](repeating: nil, count: steps.count))
        DetachedThread.forEach(steps.count, threads: steps.count) { index in
            let result = Result { try steps[index]() }
            results.withLock { $0[index] = result }
        }
        return try results.withLock(\.self).reduce(0) { try $0 + ($1?.get() ?? 0) }
    }
}
