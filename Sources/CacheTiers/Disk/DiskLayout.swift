import Basics
import Foundation

/// The file names and subfolders of a disk tier: the layouts of the image libraries, and of two hand-written caches
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

extension DiskLayout {
    /// Returns the name of a key's file; nil if it cannot be a file name.
    package func name(of key: String, variant: UInt8) -> DiskName? {
        switch self {
        case .md5Fanout: DiskName(key: key, variant: variant)
        case .md5: DiskName(key: key, variant: variant, isFlat: true)
        case .md5Extension: Self.withExtension(key, variant)
        case .sha1: Self.digest(hex(.sha1, key), variant)
        case .sha256: Self.digest(hex(.sha256, key), variant)
        case .shards: Self.sharded(resource(key), variant)
        case .escaped: spelled(key.utf8, variant)
        case .everyFifth: spelled(Self.everyFifth(key).utf8, variant)
        case .path: spelled(Self.path(key), variant)
        case .hostPath: Self.encoded(Self.hostAndPath(key), variant)
        case .sqlite: DiskName(text: key.utf8, variant: variant)
        }
    }

    /// Returns the path of a full image's file below the tier's folder, or its key in a database; nil if it cannot be a
    /// file name. Keys with the same name share a file.
    public func fileName(for key: String) -> String? {
        name(of: key, variant: 1).map { name in name.withPath { String(cString: $0) } }
    }

    /// Suffixes of thumbnails' names.
    private static let digestSuffix = Array("-0".utf8)
    private static let spelledSuffix = Array("%-0".utf8)
    private static let shardExtension = Array(".cnt".utf8)
    /// `NAME_MAX` of Linux and macOS.
    private static let longestName = 255

    private static func digest(_ name: [UInt8], _ variant: UInt8) -> DiskName {
        DiskName(text: variant == 0 ? name + digestSuffix : name, variant: variant)
    }

    private static func withExtension(_ key: String, _ variant: UInt8) -> DiskName {
        let name = DiskName(key: key, variant: variant, isFlat: true).withPath { Array(String(cString: $0).utf8) }
        let file = path(key).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        guard let point = file.lastIndex(of: UInt8(ascii: ".")), point > file.startIndex,
            file.count - 1 > point - file.startIndex,
            name.count + file.endIndex - point <= longestName, !file[point...].contains(0)
        else { return DiskName(text: name, variant: variant) }
        return DiskName(text: name + file[point...], variant: variant)
    }

    private static func sharded(_ resource: [UInt8], _ variant: UInt8) -> DiskName {
        let name = Array("\(shard(resource))/".utf8) + resource + (variant == 0 ? digestSuffix : []) + shardExtension
        return DiskName(text: name, variant: variant)
    }

    /// The shard of a name by Java's `String.hashCode`: for each character, 31 times the hash plus the character, in 32
    /// bits.
    private static func shard(_ resource: some Sequence<UInt8>) -> Int {
        let hash = resource.reduce(Int32(0)) { $0 &* 31 &+ Int32($1) }
        return Int(abs(hash % 100))
    }

    private func resource(_ key: String) -> [UInt8] {
        Self.base64(Data(Digest.of(Array(key.utf8), .sha1)))
    }

    /// URL-safe Base64 without padding (RFC 4648, section 5).
    private static func base64(_ data: Data) -> [UInt8] {
        data.base64EncodedString().utf8.compactMap { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: character
            }
        }
    }

    /// Returns the parts of a URL that the URLCache of swift-corelibs-foundation distinguishes: host in lower case,
    /// port and path, as `host,port,path`, without scheme and query.
    public static func hostAndPath(_ key: String) -> String {
        let bytes = Array(key.utf8)
        let (authority, path) = parts(bytes)
        guard let authority else { return String(decoding: path, as: UTF8.self) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        let colon = host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        let name = String(decoding: host[..<colon], as: UTF8.self).lowercased()
        let port = String(decoding: host[colon...].dropFirst(), as: UTF8.self)
        return "\(name),\(port),\(String(decoding: path, as: UTF8.self))"
    }

    /// Returns characters 0, 5, 10 … of a key, without slashes.
    public static func everyFifth(_ key: String) -> String {
        let bytes = key.utf8
        guard bytes.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) else {
            return String(key.enumerated().lazy.filter { $0.offset % 5 == 0 && $0.element != "/" }.map(\.element))
        }
        // Each byte is a character: only CR and LF form one of two bytes.
        let chosen = bytes.enumerated().lazy.filter { $0.offset % 5 == 0 && $0.element != UInt8(ascii: "/") }
        return String(decoding: chosen.map(\.element), as: UTF8.self)
    }

    private static let responseExtension = Array(".storedcachedurlresponse".utf8)
    /// That URLCache puts seconds since 1970 and a point before these names. Here they are omitted, but counted.
    private static let longestResponse = longestName - 11

    private static func encoded(_ parts: String, _ variant: UInt8) -> DiskName? {
        let name = base64(Data(parts.utf8)) + (variant == 0 ? spelledSuffix : []) + responseExtension
        return !parts.isEmpty && name.count <= longestResponse ? DiskName(text: name, variant: variant) : nil
    }

    private func hex(_ algorithm: Digest.Algorithm, _ key: String) -> [UInt8] {
        var key = key
        return Array(key.withUTF8 { Digest.of(UnsafeRawBufferPointer($0), algorithm) }.hexadecimal.utf8)
    }

    private static func path(_ key: String) -> ArraySlice<UInt8> { parts(Array(key.utf8)).path }

    /// Splits a URL into its authority, between `://` and the path, and its path as written, without query and
    /// fragment. Without `://`, the authority is nil and the key begins with its path.
    package static func parts(_ bytes: [UInt8]) -> (authority: ArraySlice<UInt8>?, path: ArraySlice<UInt8>) {
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        let slash = UInt8(ascii: "/")
        let mark = bytes.indices.first {
            $0 + 2 < end && bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == slash && bytes[$0 + 2] == slash
        }
        guard let mark else { return (nil, bytes[..<end]) }
        let root = bytes[(mark + 3)..<end].firstIndex(of: slash) ?? end
        return (bytes[(mark + 3)..<root], bytes[root..<end])
    }

    /// Returns a spelled-out name; nil if it cannot be a file name.
    private func spelled(_ bytes: some Sequence<UInt8>, _ variant: UInt8) -> DiskName? {
        var name: [UInt8] = []
        for byte in bytes {
            if mustEscape(byte) {
                name.append(UInt8(ascii: "%"))
                name.append(UInt8(bitPattern: DiskName.digit(UInt64(byte >> 4))))
                name.append(UInt8(bitPattern: DiskName.digit(UInt64(byte))))
            } else {
                name.append(byte)
            }
        }
        guard !name.isEmpty else { return nil }
        if variant == 0 { name += Self.spelledSuffix }
        return Self.canBeFile(name) ? DiskName(text: name, variant: variantOfSpelled(name)) : nil
    }

    /// In `every-fifth`, a full image's name can end like a thumbnail's. It then counts as the thumbnail, whose file it
    /// shares.
    private func variantOfSpelled(_ name: [UInt8]) -> UInt8 {
        name.suffix(Self.spelledSuffix.count).elementsEqual(Self.spelledSuffix) ? 0 : 1
    }

    /// PINCache asks Foundation to escape the four characters; Foundation also escapes all non-ASCII bytes.
    private func mustEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "%"): self != .everyFifth
        case UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...: self == .escaped
        default: false
        }
    }

    private static func canBeFile(_ name: [UInt8]) -> Bool {
        if name.count > longestName || name.contains(0) { return false }
        if name == Array(".".utf8) || name == Array("..".utf8) { return false }
        return !name.starts(with: temporaryPrefix.utf8) && !name.elementsEqual(markerFile.utf8)
    }
}

extension DiskLayout {
    /// Parses the name of a file; nil if the tier does not write such names. A spelled-out name can still belong to
    /// another program's file.
    package func name(file: UnsafePointer<CChar>, in subfolder: String) -> DiskName? {
        switch self {
        case .md5Fanout: return UInt8(subfolder, radix: 16).flatMap { DiskName(file: file, inFolder: $0) }
        case .md5: return DiskName(file: file, inFolder: nil)
        case .sqlite: return nil
        default: break
        }
        let name = UnsafeRawBufferPointer(start: file, count: strlen(file)).map { $0 }
        switch self {
        case .sha1: return Self.digest(name, digits: 40)
        case .sha256: return Self.digest(name, digits: 64)
        case .md5Extension:
            let stem = name.prefix { $0 != UInt8(ascii: ".") }
            guard let digest = Self.digest(Array(stem), digits: 32) else { return nil }
            let ending = name[stem.endIndex...].dropFirst()
            guard stem.count == name.count || !ending.isEmpty && !ending.contains(UInt8(ascii: ".")) else { return nil }
            return DiskName(text: name, variant: digest.variant)
        case .shards:
            let resource = name.prefix(27)
            guard resource.count == 27, resource.allSatisfy(Self.isBase64), subfolder == String(Self.shard(resource))
            else { return nil }
            return [UInt8(0), 1].lazy.map { Self.sharded(Array(resource), $0) }
                .first { $0.withText { $0.elementsEqual(Array("\(subfolder)/".utf8) + name) } }
        case .hostPath:
            guard name.count <= Self.longestResponse,
                name.suffix(Self.responseExtension.count).elementsEqual(Self.responseExtension)
            else { return nil }
            let stem = name.dropLast(Self.responseExtension.count)
            let variant = variantOfSpelled(Array(stem))
            let encoded = variant == 0 ? stem.dropLast(Self.spelledSuffix.count) : stem
            return !encoded.isEmpty && encoded.allSatisfy(Self.isBase64) ? DiskName(text: name, variant: variant) : nil
        default:
            let variant = variantOfSpelled(name)
            guard Self.canBeFile(name), name.count > (variant == 0 ? Self.spelledSuffix.count : 0),
                isSpelled(variant == 0 ? name.dropLast(Self.spelledSuffix.count) : name[...])
            else { return nil }
            return DiskName(text: name, variant: variant)
        }
    }

    private static func digest(_ name: [UInt8], digits: Int) -> DiskName? {
        let variant: UInt8
        switch name.count {
        case digits: variant = 1
        case digits + digestSuffix.count where name[digits...].elementsEqual(digestSuffix): variant = 0
        default: return nil
        }
        let isHex = name[..<digits].allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        return isHex ? DiskName(text: name, variant: variant) : nil
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether exactly the bytes that need escapes are escaped.
    private func isSpelled(_ name: ArraySlice<UInt8>) -> Bool {
        guard self != .everyFifth else { return true }
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                if mustEscape(byte) { return false }
                continue
            }
            guard rest.count >= 2, let text = String(validating: rest.prefix(2), as: UTF8.self),
                text == text.uppercased(),
                let escaped = UInt8(text, radix: 16), mustEscape(escaped)
            else { return false }
            rest = rest.dropFirst(2)
        }
        return true
    }
}
