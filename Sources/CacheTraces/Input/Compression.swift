/// The compressions that are undone while reading, by libarchive.
///
/// The magic numbers are checked here, before libarchive is asked: its own guess also takes plain text for uuencode,
/// and it fails on an empty file.
public enum Compression: String, Sendable, CaseIterable {
    case gzip, bzip2, xz, zstd, zlib

    /// Empty for zlib, whose two bytes tell too little: see ``Decompressor/isZlib(_:)``.
    private var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B, 0x08]  // RFC 1952
        case .bzip2: [0x42, 0x5A, 0x68]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]  // RFC 8878
        case .zlib: []
        }
    }

    var fileEndings: [String] {
        switch self {
        case .gzip: [".gz"]
        case .bzip2: [".bz2"]
        case .xz: [".xz"]
        case .zstd: [".zst", ".zstd"]
        case .zlib: [".zlib", ".zz"]
        }
    }

    /// What a file that begins with `head` is compressed with; nil where it is not.
    init?(head: [UInt8]) {
        let match = Self.allCases.first { !$0.magic.isEmpty && head.starts(with: $0.magic) }
        guard let match = match ?? (Decompressor.isZlib(head) ? .zlib : nil) else { return nil }
        self = match
    }
}
