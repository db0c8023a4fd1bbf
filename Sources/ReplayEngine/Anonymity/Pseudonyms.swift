import Basics

/// The names that replace texts. The same salt gives a text the same name in all files.
///
/// A name follows from the SHA-256 of the salt and the text. A reader who lacks the salt cannot test whether a name
/// stands for a guessed text.
struct Pseudonyms: Sendable {
    /// What a text is. A title and a key with the same text have different names.
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

    /// Returns a number that follows from a text.
    func number(_ text: some StringProtocol, _ kind: Kind) -> UInt64 {
        digest(text, kind).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
