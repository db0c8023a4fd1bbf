/// How much of a key, mostly a URL, is written into a trace.
///
/// A user name and password in a URL (`https://anna:secret@…`) are never written.
///
/// What remains visible whatever you choose: when each image was looked at and for how long, how large it is, which
/// requests were for the same image. Someone who knows the sizes of the images on a public site may tell from the sizes
/// alone which ones were shown. Treat a trace as the record of a person's behaviour that it is.
public struct KeyPrivacy: Sendable, Equatable {
    /// Leaves out `?query` and `#fragment`, where tokens and signatures live. Two URLs that differ in nothing else
    /// become one object: right for signatures, wrong where the query names the image.
    public var stripsQuery: Bool

    /// Leaves out scheme, host and port. URLs of two hosts with the same path become one object.
    public var stripsHost: Bool

    /// Replaces each key by a keyed hash of it (of what the other options left), and so the value of each `etag`.
    public var hashing: Hashing?

    public init(stripsQuery: Bool = false, stripsHost: Bool = false, hashing: Hashing? = nil) {
        self.stripsQuery = stripsQuery
        self.stripsHost = stripsHost
        self.hashing = hashing
    }

    /// A key for SipHash-2-4-128, written as `hash:` and 32 hexadecimal digits.
    ///
    /// Who has the trace but not the key cannot get the URLs back, nor test whether a URL that he guesses is among
    /// them. Who has the key can test guesses. The key is never written; the recorder forgets it when it is
    /// deallocated.
    public struct Hashing: Sendable, Equatable {
        let words: [UInt64]

        /// A new random key from the system's generator: the same URL has another hash in each recording, so that two
        /// recordings cannot be matched with each other, not even two of one person.
        public static func random() -> Hashing {
            var generator = SystemRandomNumberGenerator()
            return Hashing(generator.next(), generator.next())
        }

        /// A key of your own, kept secret like any other: for when recordings are to be matched with each other, as for
        /// a person's return after a day. Use 128 random bits.
        public init(_ first: UInt64, _ second: UInt64) { words = [first, second] }

        package func hash(_ text: String) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let bytes = SipHash.hash(text.utf8, key: (words[0], words[1]))
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }
}

extension KeyPrivacy {
    /// What is written for `key`.
    package func written(_ key: String) -> String {
        var rest = key[...]
        if stripsQuery, let end = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            rest = rest[..<end]
        }
        var text = Self.withoutAuthority(rest, keepsHost: !stripsHost)
        if let hashing { text = "hash:" + hashing.hash(text) }
        return text
    }

    func written(_ header: ObjectFacts.Header) -> ObjectFacts.Header {
        // An entity tag is often a digest of the content, by which the image can be known.
        guard let hashing, header.name == "etag" else { return header }
        return ObjectFacts.Header(name: "etag", value: "\"\(hashing.hash(header.value))\"")
    }

    /// `scheme://user:password@host/path` (RFC 3986, 3.2) without user and password, or from the path on.
    private static func withoutAuthority(_ url: Substring, keepsHost: Bool) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            bytes[..<colon].allSatisfy({ isSchemeByte($0) })
        else { return String(url) }
        let start = bytes.index(colon, offsetBy: 3)
        let delimiters = Array("/?#\\".utf8)
        let end = bytes[start...].firstIndex { delimiters.contains($0) } ?? bytes.endIndex
        guard keepsHost else { return end == bytes.endIndex ? "/" : String(url[end...]) }
        let host = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) } ?? start
        return String(url[..<start]) + String(url[host...])
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
