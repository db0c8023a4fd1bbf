import Foundation
import ReplayEngine

/// `events/`: the course of each run as a Chrome trace, with `replay --events`.
extension ResultsFolder {
    /// Writes the Chrome trace of a run.
    ///
    /// - Throws: ``ResultsError`` if the file cannot be written.
    public func addEvents(_ json: String, of run: RunIdentity) throws {
        try Self.makeFolder("\(path)/events")
        try ResultFile.write(json, to: "\(path)/events/\(Self.eventsFile(run))")
    }

    /// Returns the name of a run's file: those of the trace and the cache, in which other characters than letters, digits,
    /// points and underscores are hyphens, and a number that differs between names that would be equal so.
    static func eventsFile(_ run: RunIdentity) -> String {
        func plain(_ text: String) -> String {
            let allowed = text.unicodeScalars.map { scalar -> Character in
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                    || scalar == "." || scalar == "_" ? Character(scalar) : "-"
            }
            return String(String(allowed).prefix(60))
        }
        let names = "\(plain(run.trace))-\(plain(run.cache))"
        let isPlain = names == "\(run.trace)-\(run.cache)" && run.repetition == 1
        return isPlain ? "\(names).json" : "\(names)-\(String(hash(run), radix: 16)).json"
    }

    /// FNV-1a of the names and the repeat.
    private static func hash(_ run: RunIdentity) -> UInt32 {
        "\(run.trace)\u{0}\(run.cache)\u{0}\(run.repetition)".utf8.reduce(0x811C_9DC5) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
    }

    /// Removes the files of an earlier replay.
    static func removeEvents(in path: String) throws {
        guard isFolder("\(path)/events") else { return }
        for name in try list("\(path)/events") where name.hasSuffix(".json") { try remove("\(path)/events/\(name)") }
    }
}
