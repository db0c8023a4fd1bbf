import CacheTiers
import ReplayEngine

/// What the real tiers deliver: the bytes of the response or file, and the bitmap that was decoded from them.
struct ReplayBody: Sendable {
    var bytes: Payload
    var bitmap: Bitmap?
    /// Bytes of another key, or torn ones.
    var isWrong = false
}
