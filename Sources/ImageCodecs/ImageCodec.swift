import CacheTiers

/// Decodes and encodes images as an app does, so that memory and files of a replay are as large as an app's. Keeps no
/// state: any thread may call it at any time.
///
/// What an app's decoder does beyond this is left out, since it changes no size: colours are not converted by ICC
/// profiles, and pictures are not turned as their EXIF says.
public enum ImageCodec {
    /// Decodes into one buffer, once: no second copy of the pixels is ever held.
    ///
    /// What holds fewer pixels than its header says is an error, not a picture with a grey rest. Throws too for
    /// animated WebP, and for images beyond the limits of ``Bitmap``, before memory is allocated for them.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        switch ImageFormat(bytes) {
        case .jpeg: try JPEGCodec.decode(bytes)
        case .png: try PNGCodec.decode(bytes)
        case .webp: try WebPCodec.decode(bytes)
        case nil: throw ImageError(unknown: bytes)
        }
    }

    /// A baseline JPEG of a quality from 1 to 100, as libjpeg counts; what is beyond is brought within. Alpha is
    /// dropped.
    ///
    /// 100 stands for Apple's 1.0: nothing is divided away by quantisation, and colours are kept for every pixel
    /// (4:4:4). Below it they are kept for each block of 2 x 2 pixels (4:2:0). Apple's encoder was reported to make the
    /// same difference between 1.0 and anything less.
    ///
    /// Throws for more than 65,500 pixels on a side.
    public static func encodeJPEG(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        try JPEGCodec.encode(bitmap, quality: min(max(quality, 1), 100))
    }

    /// A PNG of 8 bits a channel, filtered and compressed as libpng does by default; without alpha where every pixel is
    /// opaque.
    public static func encodePNG(_ bitmap: Bitmap) throws(ImageError) -> Payload {
        try PNGCodec.encode(bitmap)
    }
}
