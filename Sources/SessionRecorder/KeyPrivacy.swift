/// The parts of a key, mostly a URL, that are written into a trace.
///
/// A user name and password in a URL (`https://anna:secret@…`) are never written.
///
/// With every setting, a trace shows when each image was visible and for how long, how large it is, and which requests
/// were for the same image. If the sizes of the images on a public site are known, the sizes alone can identify the
/// images that were shown. A trace is a record of a person's behaviour; protect it accordingly.
public struct KeyPrivacy: Sendable, Equatable {
    /// Whether `?query` and `#fragment`, which often contain tokens and signatures, are omitted. Two URLs that differ
    /// only there become one object: correct for signatures, wrong if the query names the image.
    public var stripsQuery: Bool

    /// Whether scheme, host and port are omitted. URLs of two hosts with the same path become one object.
    public var stripsHost: Bool

    /// The hashing that replaces each key, after the other options, and the value of each `etag`; nil for no hashing.
    public var hashing: Hashing?

    public init(stripsQuery: Bool = false, stripsHost: Bool = false, hashing: Hashing? = nil) {
        self.stripsQuery = stripsQuery
        self.stripsHost = stripsHost
        self.hashing = hashing
    }

    /// A key for SipHash-2-4-128. Hashes are written as `hash:` and 32 hexadecimal digits.
    ///
    /// Without the key, URLs can neither be recovered from a trace nor tested against it. With the key, guessed URLs
    /// can be tested. The key is never written, and is released with the recorder.
    public struct Hashing: Sendable, Equatable {
        let words: [UInt64]

        /// Returns a new random key from the system's generator. A URL has another hash in each recording, so that
        /// recordings cannot be matched with each other, not even two recordings of one person.
        public static func random() -> Hashing {
            var generator = SystemRandomNumberGenerator()
            return Hashing(generator.next(), generator.next())
        }

        /// Creates a key from 128 random bits that you keep secret, for recordings that are to be matched with each
        /// other, such as the recordings of a person on two days.
        public init(_ first: UInt64, _ second: UInt64) { words = [first, second] }

        func hash(_ text: String) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let bytes = SipHash.hash(text.utf8, key: (words[0], words[1]))
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }
}

extension KeyPrivacy {
    /// Returns the text that is written for a key.
    func written(_ key: String) -> String {
        var rest = key[...]
        if stripsQuery, let end = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            rest = rest[..<end]
        }
        var text = Self.withoutAuthority(rest, keepsHost: !stripsHost)
        if let hashing { text = "hash:" + hashing.hash(text) }
        return text
    }

    func written(_ header: RecordedObject.Header) -> RecordedObject.Header {
        // An entity tag is often a digest of the content, which can identify the image.
        guard let hashing, header.name == "etag" else { return header }
        return RecordedObject.Header(name: "etag", value: "\"\(hashing.hash(header.value))\"")
    }

    /// Returns `scheme://user:password@host/path` (RFC 3986, 3.2) without user and password, or only from the path on.
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
