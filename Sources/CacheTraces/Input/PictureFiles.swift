import Basics
import Foundation

/// Recognises pictures where a trace is expected.
public enum PictureFiles {
    private static let endings = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".avif", ".bmp", ".tif", ".tiff"]

    public static func isNamed(_ name: String) -> Bool {
        endings.contains(where: name.hasEnding)
    }

    /// Returns whether bytes are the start of a JPEG, PNG, GIF or WebP file.
    static func isPicture(_ head: some Collection<UInt8>) -> Bool {
        let signatures: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], Array("GIF8".utf8),
        ]
        let isWebP = head.starts(with: Array("RIFF".utf8)) && head.dropFirst(8).starts(with: Array("WEBP".utf8))
        return isWebP || signatures.contains { head.starts(with: $0) }
    }

    /// Returns a hint for a folder that has pictures and nothing else; nil for another folder.
    public static func hint(forFolder path: String) -> String? {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter {
            $0.utf8.first != UInt8(ascii: ".")
        }
        return hint(for: names, in: path)
    }

    /// Returns a hint for a folder of these files, if all are pictures.
    public static func hint(for names: [String], in folder: String) -> String? {
        guard !names.isEmpty, names.allSatisfy(isNamed) else { return nil }
        return """
            is a folder of pictures, not of recorded sessions; record a session with them in a browser with \
            `cachereplay record gallery \(ShellText.quoted(folder))`
            """
    }
}
