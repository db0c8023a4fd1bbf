import CacheTiers
import ImageCodecs

/// What the real tiers deliver: bytes as they came or lie on disk, and the bitmap that was made of them where a replay
/// decodes.
struct ReplayBody: Sendable {
    var bytes: Payload
    var bitmap: Bitmap?
    /// Bytes of another key, or torn ones.
    var isWrong = false
}
