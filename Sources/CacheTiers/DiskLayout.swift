/// How a disk tier names its files, and where it puts them: as the image libraries do, and as two hand-written caches
/// do that confuse their objects.
///
/// | layout | a full image's file | known from |
/// |---|---|---|
/// | `md5-fanout` | upper-case MD5 of the key, in one of 256 subfolders named by its first two digits | a hand-written
/// cache |
/// | `md5` | MD5 of the key | |
/// | `md5-extension` | MD5 of the key, and the extension of the URL's path | SDWebImage, hyperoslo Cache |
/// | `sha1` | SHA-1 of the key | Nuke |
/// | `sha256` | SHA-256 of the key | Kingfisher, Glide, Coil |
/// | `escaped` | the key, with `.`, `:`, `/`, `%` and what is not ASCII percent-escaped | PINCache |
/// | `shards` | SHA-1 of the key in URL-safe Base64 and `.cnt`, in one of 100 subfolders | Fresco |
/// | `every-fifth` | characters 0, 5, 10 … of the key, slashes left out | a hand-written cache |
/// | `path` | the URL's path without its query, `/` and `%` escaped | a hand-written cache |
/// | `host-path` | the URL's host, port and path in URL-safe Base64, and `.storedcachedurlresponse` | URLCache of
/// swift-corelibs-foundation |
/// | `sqlite` | a row of a database, and where it is large a file named by the MD5 of its key | YYCache |
///
/// Digests are of the key's UTF-8, in lower-case hex unless said otherwise. A thumbnail lies beside its full image:
/// `-0` follows the digest, or `%-0` a name that is spelled out, which no escaped name ends in; the database has a
/// column for it.
///
/// On a file system that takes `a` for `A`, keys that differ in case alone share a file under `escaped`, `every-fifth`
/// and `path`.
public enum DiskLayout: String, Codable, Sendable, CaseIterable {
    case md5Fanout = "md5-fanout"
    case md5
    case md5Extension = "md5-extension"
    case sha1
    case sha256
    case escaped
    case shards
    case everyFifth = "every-fifth"
    case path
    case hostPath = "host-path"
    case sqlite

    /// Whether different keys can have the same file. The tier then delivers what it finds there, though it be another
    /// key's: whoever asks must compare.
    public var sharesFiles: Bool { self == .everyFifth || self == .path || self == .hostPath }

    /// Whether names are spelled out, be it in Base64, and not digests: then they can be too long for the file system,
    /// and anybody's file can look like one.
    var spellsNames: Bool { self == .escaped || sharesFiles }

    /// Made at the start; empty where files lie in the folder itself.
    var subfolders: [String] {
        switch self {
        case .md5Fanout: (0..<256).map { DiskFolder.subfolder(UInt8($0)) }
        case .shards: (0..<100).map(String.init)
        default: []
        }
    }
}
