/// A message digest, computed by the system's cryptography library.
///
/// ```swift
/// Digest.of(bytes, .md5)                         // 16 bytes
/// var digest = Digest(.sha256)
/// digest.update(part)
/// digest.finish()                                // 32 bytes
/// ```
///
/// The implementation is OpenSSL's libcrypto on Linux (`Digest+OpenSSL.swift`) and CryptoKit on Darwin
/// (`Digest+Darwin.swift`). MD5 and SHA-1 name files, as image libraries do. They protect nothing.
public struct Digest {
    public enum Algorithm: Sendable, CaseIterable {
        /// 16 bytes (RFC 1321).
        case md5
        /// 20 bytes (RFC 3174).
        case sha1
        /// 32 bytes (FIPS 180-4).
        case sha256

        /// The length of the digest in bytes.
        public var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            }
        }
    }

    var state: DigestState

    /// Creates the digest of an empty message.
    public init(_ algorithm: Algorithm) { state = DigestState(algorithm) }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bytes) }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { state.update($0) } }

    /// Returns the digest of the message. The message must not be appended to afterwards.
    public mutating func finish() -> [UInt8] { state.finish() }

    public static func of(_ bytes: UnsafeRawBufferPointer, _ algorithm: Algorithm) -> [UInt8] {
        var digest = Digest(algorithm)
        digest.update(bytes)
        return digest.finish()
    }

    public static func of(_ bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8] {
        bytes.withUnsafeBytes { of($0, algorithm) }
    }

    /// Returns the MD5 of one buffer as two 64-bit numbers in big-endian order, without an allocation for the result.
    public static func md5Words(of bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        DigestState.md5Words(of: bytes)
    }
}

extension [UInt8] {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
    public var hexadecimal: String {
        String(unsafeUninitializedCapacity: count * 2) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
