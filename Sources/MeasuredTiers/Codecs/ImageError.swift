import SessionModel

/// The reason why bytes cannot be decoded, or why a bitmap cannot be encoded. The caller adds which image it is.
public struct ImageError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, CaseIterable {
        /// Neither JPEG, PNG nor WebP.
        case unknownFormat
        /// The end of the image is missing.
        case breaksOff
        case damaged
        /// The format is known, but this kind of it is not decoded: animation, or a rare coding.
        case unsupported
        /// The image exceeds ``Bitmap/largestSide`` or ``Bitmap/largestByteCount``.
        case tooLarge
        /// The bitmap has no pixels, or another number of bytes than its pixels need.
        case wrongSize
        /// The codec ran out of memory, or cannot encode the bitmap.
        case failed
    }

    public var kind: Kind
    public var description: String

    /// `reason` is a sentence without its full stop.
    init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        description = reason + "."
    }

    init(unknown bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            self.init(.unknownFormat, "There are no bytes where a JPEG, PNG or WebP image was expected")
        } else {
            self.init(
                .unknownFormat,
                """
                Neither a JPEG, a PNG nor a WebP image: it begins with \
                \(Self.hexadecimal(bytes.prefix(ImageFormat.headSize)))
                """
            )
        }
    }

    /// `reason` is the codec's message.
    init(breaksOff format: ImageFormat, after count: Int, _ reason: String) {
        self.init(.breaksOff, "The \(format.rawValue) breaks off after \(count) bytes: \(reason)")
    }

    init(damaged format: ImageFormat, _ reason: String) {
        self.init(.damaged, "The \(format.rawValue) is damaged: \(reason)")
    }

    private static func hexadecimal(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
