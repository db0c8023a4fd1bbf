/// Paths and names of files, cut and compared as the system does it: by their bytes.
///
/// In a `String`, a slash is one `Character` with the combining mark behind it or the sign of numbers in front of it, a
/// count of characters is no count of bytes, and names of different bytes can be equal.
extension String {
    /// The parts of a path between its slashes, without empty ones.
    package var pathParts: [String] { parts(between: "/") }

    /// The last part of a path; the whole text if it has none.
    package var fileName: String { pathParts.last ?? self }

    /// The paths of the folders that a path goes through, itself at last: `/a` and `/a/b` for `/a/b`.
    package var foldersAbove: [String] {
        let start = utf8.first == UInt8(ascii: "/") ? "/" : ""
        let parts = pathParts
        return parts.indices.map { start + parts[...$0].joined(separator: "/") }
    }

    /// The path of the folder of a file, `.` for a name alone, and the name.
    package var splitPath: (folder: String, name: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", self) }
        let folder = self[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(self[utf8.index(after: slash)...]))
    }

    /// Whether a path names a stream of this process: `/dev/stdin`, `/dev/stdout`, `/dev/stderr`, or one of `/dev/fd`.
    package var isStream: Bool { utf8.starts(with: "/dev/fd/".utf8) || utf8.starts(with: "/dev/std".utf8) }

    /// Returns the parts between separators of ASCII, without empty ones.
    package func parts(between separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator)).map { String(Substring($0)) }
    }

    /// Returns the text behind a beginning; nil for another beginning.
    package func dropping(start: String) -> String? {
        guard utf8.starts(with: start.utf8) else { return nil }
        return String(self[utf8.index(utf8.startIndex, offsetBy: start.utf8.count)...])
    }

    /// Returns the text before an ending; nil for another ending.
    ///
    /// - Parameter anyCase: Whether letters of ASCII are compared without their case.
    package func dropping(ending: String, anyCase: Bool = false) -> String? {
        let place = utf8.count - ending.utf8.count
        guard place >= 0 else { return nil }
        func compared(_ byte: UInt8) -> UInt8 {
            anyCase && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
        guard utf8.dropFirst(place).elementsEqual(ending.utf8, by: { compared($0) == compared($1) }) else { return nil }
        return String(self[..<utf8.index(utf8.startIndex, offsetBy: place)])
    }

    /// Returns whether a name has an ending such as `.jsonl`. Letters of ASCII are compared without their case.
    package func hasEnding(_ ending: String) -> Bool { dropping(ending: ending, anyCase: true) != nil }

    /// Returns the text with other texts in place of some scalars, wherever these are within characters.
    package func replacing(scalars: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in unicodeScalars {
            if let other = scalars[scalar] { result += other } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
