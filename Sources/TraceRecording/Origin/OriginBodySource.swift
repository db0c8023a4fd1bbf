import CacheTraces
import Foundation

/// The source of the bytes of an object that a ``LoopbackOrigin`` serves.
enum OriginBodySource: Sendable {
    case pattern(PayloadPattern)
    /// The file of a recorded body.
    case file(String)

    /// Fills the buffer with the bytes from `offset` on. Returns false if they cannot be read.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
        switch self {
        case .pattern(let pattern):
            pattern.fill(buffer, from: offset)
            return true
        case .file(let path):
            return Self.read(path, into: buffer, from: offset)
        }
    }

    private static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var filled = 0
        while filled < buffer.count {
            let count = pread(
                file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
            if count > 0 { filled += count } else if count == 0 || errno != EINTR { return false }
        }
        return true
    }
}
