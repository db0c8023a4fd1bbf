/// The file names and subfolders of a disk tier: those of the image libraries, and those of two hand-written caches
/// that confuse objects.
///
/// | layout | a full image's file | known from |
/// |---|---|---|
/// | `md5-fanout` | upper-case MD5 of the key, in the subfolder of its first two digits | a hand-written cache |
/// | `md5` | MD5 of the key | |
/// | `md5-extension` | MD5 of the key, and the extension of the URL's path | SDWebImage, hyperoslo Cache |
/// | `sha1` | SHA-1 of the key | Nuke |
/// | `sha256` | SHA-256 of the key | Kingfisher, Glide, Coil |
/// | `escaped` | the key, with `.`, `:`, `/`, `%` and non-ASCII bytes percent-escaped | PINCache |
/// | `shards` | SHA-1 of the key in URL-safe Base64 and `.cnt`, in one of 100 subfolders | Fresco |
/// | `every-fifth` | characters 0, 5, 10 … of the key, without slashes | a hand-written cache |
/// | `path` | the URL's path without its query, `/` and `%` escaped | a hand-written cache |
/// | `host-path` | the URL's host, port and path in URL-safe Base64, and `.storedcachedurlresponse` | URLCache¹ |
/// | `sqlite` | a row of a database; a large payload is a file named by the MD5 of the key | YYCache |
///
/// Digests are of the key's UTF-8, in lower-case hex unless stated otherwise. A thumbnail is beside its full image,
/// with a suffix: `-0` after a digest, or `%-0` after a spelled-out name, which no escaped name ends in. The database
/// has a column for it. ¹ of swift-corelibs-foundation.
///
/// On a file system that ignores case, keys that differ only in case share a file in the layouts `escaped`,
/// `every-fifth` and `path`.
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

    /// Whether different keys can have the same file. The tier then delivers the bytes that the file holds, also if
    /// they belong to another key; callers compare them.
    public var sharesFiles: Bool { self == .everyFifth || self == .path || self == .hostPath }

    /// Whether names are spelled out, also in Base64, instead of digests. Such names can be too long for the file
    /// system, and other programs' files can have them.
    package var spellsNames: Bool { self == .escaped || sharesFiles }

    /// The beginning of the names of files that are not complete yet.
    package static let temporaryPrefix = ".new-"
    /// The name of the file that names the layout of a folder.
    package static let markerFile = ".cachereplay-tier"

    package static func subfolder(_ number: UInt8) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// The subfolders, which are created at the start; empty if files are in the folder itself.
    package var subfolders: [String] {
        switch self {
        case .md5Fanout: (0..<256).map { Self.subfolder(UInt8($0)) }
        case .shards: (0..<100).map(String.init)
        default: []
        }
    }
}

/// The properties in which kinds of stores differ.
package struct DiskStoreTraits {
    /// Whether each access is dated and written, whatever the format says of access dates.
    package var writesEachAccess: Bool
    /// Whether access dates are whole seconds, rounded down.
    package var datesAccessesInSeconds: Bool
    /// Whether a scan returns objects in the order in which they were stored.
    package var keepsStoringOrder: Bool
    /// Names in the tier's folder that belong to the store; a folder that has one of them, but no marker, was not
    /// written by a tier.
    package var reservedNames: [String] = []
}

extension DiskStoreTraits {
    package static let folder = DiskStoreTraits(
        writesEachAccess: false, datesAccessesInSeconds: false, keepsStoringOrder: false)
    package static let database = DiskStoreTraits(
        writesEachAccess: true, datesAccessesInSeconds: true, keepsStoringOrder: true,
        reservedNames: [databaseFile, databaseValueFolder])
    package static let databaseFile = "manifest.sqlite"
    package static let databaseValueFolder = "data"
}

extension DiskLayout {
    /// The properties of the kind of store that the layout uses.
    package var storeTraits: DiskStoreTraits { self == .sqlite ? .database : .folder }
}
