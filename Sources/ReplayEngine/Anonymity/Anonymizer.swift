import Basics
import HTTPCaching
import SessionModel

/// Replaces what identifies a person, a server or a picture in a trace, so that the trace can be shared.
///
/// Keys, titles, recorders, users, and the texts of headers become names that follow from a salt and the text. Dates
/// move by a time that follows from the salt. Everything else stays: events with their times, sizes, types of pictures,
/// lifetimes of responses. Replays and simulations have the same figures before and after.
///
/// The same salt gives a text the same name in all traces. A reader who has the salt can test whether a guessed key is
/// in a trace. The salt must therefore stay secret.
public struct Anonymizer: Sendable {
    private let names: Pseudonyms
    /// The seconds by which dates move: 20 to 80 years forward, because rules take a date before 1971 for none.
    private let movement: Int64

    /// Returns nil for a salt that is empty or white space, because a reader would guess such a salt.
    ///
    /// - Parameter salt: A secret text.
    public init?(salt: String) {
        guard !salt.allSatisfy(\.isWhitespace) else { return nil }
        names = Pseudonyms(salt: salt)
        let year: UInt64 = 365 * 86_400
        movement = Int64(20 * year + names.number("", .dates) % (60 * year))
    }

    /// Returns a trace with other names and dates.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - keysAreNumbers: Whether keys that are all whole numbers become whole numbers, for a format that has no
    ///     others.
    public func anonymized(_ trace: Trace, keysAreNumbers: Bool = false) -> Trace {
        var trace = trace
        trace.header.title = trace.header.title.map { names.name($0, .title) }
        trace.header.recorder = trace.header.recorder.map { names.name($0, .recorder) }
        trace.header.user = trace.header.user.map { names.name($0, .user) }
        trace.header.started = trace.header.started.flatMap(Timestamp.microseconds)
            .map { Timestamp.text(HTTPDates.moved($0, by: movement)) }
        let areNumbers = keysAreNumbers && trace.objects.allSatisfy { UInt64($0.key) != nil }
        var keys = AnonymousKeys(names)
        for index in trace.objects.indices {
            let object = trace.objects[index]
            trace.objects[index].key =
                areNumbers ? String(names.number(object.key, .key)) : keys.replacement(of: object.key)
            trace.objects[index].contentType = object.contentType.map(Self.type)
            trace.objects[index].headers = object.headers.anonymized(movingDatesBy: movement) {
                names.name($0, .header)
            }
        }
        return trace
    }

    /// The content types that stay, without their parameters.
    private static let types = [
        "image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic", "image/heif", "image/svg+xml",
    ]

    /// Returns the replacement of a content type, which has no parameters. Replays treat both types alike.
    private static func type(_ text: String) -> String {
        let text = text.lowercased()
        if let type = types.first(where: text.hasPrefix) { return text == type ? type : type + ";" }
        return text.isEmpty ? "" : text.hasPrefix("image/") ? "image/*" : "application/octet-stream"
    }
}

extension Trace {
    /// The number of hosts that keys name.
    package var hostCount: Int { Set(objects.map { RecordedHosts.name($0.key) }).subtracting([""]).count }
}

/// The names that replace texts. The same salt gives a text the same name in all files.
///
/// A name follows from the SHA-256 of the salt and the text. A reader who lacks the salt cannot test whether a name
/// stands for a guessed text.
struct Pseudonyms: Sendable {
    /// The kind of a text. A title and a key with the same text have different names.
    enum Kind: String {
        case scheme, authority, host, path, key, everyFifth, title, recorder, user, header, dates
    }

    /// 32 letters and digits that are not easily confused.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

    private let secret: [UInt8]

    init(salt: String) { secret = Digest.of(Array(salt.utf8), .sha256) }

    /// Returns the digest of a text: 32 bytes.
    func digest(_ text: some StringProtocol, _ kind: Kind) -> [UInt8] {
        var digest = Digest(.sha256)
        digest.update(secret)
        digest.update(Array("\(kind.rawValue):".utf8))
        digest.update(Array(text.utf8))
        return digest.finish()
    }

    /// Returns 32 characters of ``alphabet`` that follow from a text.
    func characters(_ text: some StringProtocol, _ kind: Kind) -> [UInt8] {
        digest(text, kind).map { Self.alphabet[Int($0 & 31)] }
    }

    /// Returns a name of 14 characters, such as `k3fa~9xq2~77ab`. Six characters of it always have a tilde, so that
    /// they hardly ever stand in another text.
    func name(_ text: some StringProtocol, _ kind: Kind) -> String {
        let characters = characters(text, kind)
        let groups = stride(from: 0, to: 12, by: 4).map { characters[$0..<$0 + 4] }
        return String(decoding: Array(groups.joined(separator: [UInt8(ascii: "~")])), as: UTF8.self)
    }

    func number(_ text: some StringProtocol, _ kind: Kind) -> UInt64 {
        digest(text, kind).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
