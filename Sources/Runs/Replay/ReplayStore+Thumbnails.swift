import Foundation
import ReplayEngine

/// The small pictures of the images of one session, which the phones of `report.html` show.
public struct SessionThumbnails: Codable, Sendable, Equatable {
    /// The name of the trace.
    public var trace: String
    /// For each cell of the session's film, in order of appearance, the place of its picture in ``images``; -1 for
    /// none.
    public var cells: [Int]
    /// WebP files in Base64.
    public var images: [String]

    public init(trace: String, cells: [Int] = [], images: [String] = []) {
        (self.trace, self.cells, self.images) = (trace, cells, images)
    }

    /// Whether each cell names a picture or none, and each picture is Base64.
    var isValid: Bool {
        cells.count <= Film.mostCells && cells.allSatisfy { $0 >= -1 && $0 < images.count }
            && images.allSatisfy { image in
                image.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
                    default: false
                    }
                }
            }
    }
}

/// `thumbnails.jsonl`: the small pictures of the sessions of a replay of kept bodies, one line for each session.
extension Store<ReplayRuns> {
    /// The bytes of Base64 that the pictures of a replay have at most.
    public static var mostThumbnailBytes: Int { 1_000_000 }

    /// Keeps the pictures of sessions, in place of earlier ones.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func keepThumbnails(_ sessions: [SessionThumbnails]) throws {
        let file = "\(path)/thumbnails.jsonl"
        let shown = sessions.filter { !$0.images.isEmpty }
        guard !shown.isEmpty else { return try ResultFile.remove(file) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try shown.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
        try ResultFile.write(lines.joined(), to: file)
    }

    /// The pictures of the sessions; none if the replay kept none.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var thumbnails: [SessionThumbnails] {
        get throws { try Self.thumbnails(in: path) }
    }

    /// Returns the pictures that a folder of results holds.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public static func thumbnails(in folder: String) throws -> [SessionThumbnails] {
        let file = "\(folder)/thumbnails.jsonl"
        let damage = "is no list of pictures; remove the file, and the report has none"
        var sessions: [SessionThumbnails] = []
        var log = LineLog<SessionThumbnails>(file, damage: damage)
        do { try log.read { session, _ in sessions.append(session) } } catch let error as ResultsError {
            guard let line = error.line else { throw error }
            throw ResultsError(.badData, file: file, "line \(line) \(error.message)")
        }
        if let number = sessions.firstIndex(where: { !$0.isValid }) {
            throw ResultsError(.badData, file: file, "line \(number + 1) \(damage)")
        }
        return sessions
    }
}
