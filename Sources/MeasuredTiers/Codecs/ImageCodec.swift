import CacheTiers
import SessionModel

/// Decodes and encodes images as an app does, so that memory and files of a replay have the sizes of an app's. It has
/// no state and is safe under concurrent use.
///
/// Steps that do not change sizes are omitted: ICC profiles do not convert colours, and EXIF orientations do not rotate
/// images.
public enum ImageCodec {
    /// Decodes an image into a single buffer; there is never a second copy of the pixels.
    ///
    /// - Throws: ``ImageError`` for damaged images, for images with fewer pixels than their header announces (instead
    ///   of a grey rest), for animated WebP, and, before memory is allocated, for images beyond the limits of
    ///   ``Bitmap``.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        switch ImageFormat(bytes) {
        case .jpeg: try JPEGCodec.decode(bytes)
        case .png: try PNGCodec.decode(bytes)
        case .webp: try WebPCodec.decode(bytes)
        case nil: throw ImageError(unknown: bytes)
        }
    }

    /// Encodes a baseline JPEG. `quality` is libjpeg's, limited to 1 to 100. Alpha is dropped.
    ///
    /// 100 corresponds to Apple's 1.0: all quantization factors are 1, and colours are kept for every pixel (4:4:4).
    /// Below 100, colours are kept for each block of 2 x 2 pixels (4:2:0). Apple's encoder is reported to differ in the
    /// same way between 1.0 and lower values.
    ///
    /// - Throws: ``ImageError`` for more than 65,500 pixels on a side.
    public static func encodeJPEG(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        try JPEGCodec.encode(bitmap, quality: min(max(quality, 1), 100))
    }

    /// Encodes a PNG with 8 bits per channel and libpng's default filters and compression, without alpha if every pixel
    /// is opaque.
    public static func encodePNG(_ bitmap: Bitmap) throws(ImageError) -> Payload {
        try PNGCodec.encode(bitmap)
    }

    /// Encodes a lossy WebP. `quality` is libwebp's, limited to 0 to 100.
    ///
    /// - Throws: ``ImageError`` for more than 16,383 pixels on a side.
    public static func encodeWebP(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        try WebPCodec.encode(bitmap, quality: min(max(quality, 0), 100))
    }
}
