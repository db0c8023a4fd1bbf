/// A part of a file name, made of any name: readable, the same on every file system, and different for different names.
///
/// The text has lower-case letters, digits, `.`, `_`, `-` and `~` only, is not empty, and does not begin with `.` or
/// `-`. It therefore is no option of a program, no path to another folder, and no command of a shell or of gnuplot.
public struct SafeName: Sendable, Hashable, CustomStringConvertible {
    private static let longest = 48

    package let text: String

    public var description: String { text }

    /// Creates the safe form of a name.
    ///
    /// Short names of lower-case letters, digits and `.`, `_`, `-` do not change, unless they begin with `.` or `-`.
    /// Any other name becomes its safe characters, `~`, and a hash of the whole name. Upper case never remains, because
    /// some file systems do not distinguish `LRU` and `lru`.
    public init(_ name: String) { text = Self.text(of: name) }

    private static func text(of name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            !bytes.isEmpty && bytes.count <= longest && bytes.allSatisfy(isSafe) && bytes[0] != 0x2E && bytes[0] != 0x2D
            && !name.contains("--")
        if isPlain { return name }

        var readable = ""
        for scalar in name.lowercased().unicodeScalars where readable.utf8.count < longest {
            if scalar.isASCII, isSafe(UInt8(scalar.value)), scalar != ".", scalar != "-" {
                readable.unicodeScalars.append(scalar)
            } else if readable.last != "-", !readable.isEmpty {
                readable.append("-")
            }
        }
        while readable.last == "-" { readable.removeLast() }
        return "\(readable)~\(hex(hash(bytes)))"
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }

    /// FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine, unlike `Hasher`.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
