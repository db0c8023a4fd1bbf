import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that is open for reading, until nobody holds it. Its calls block: they belong on a thread pool.
final class OpenFile: Sendable {
    let size: Int
    private let descriptor: CInt

    /// Links were resolved when the folder was read; one that has taken the file's place since is not followed. Nor is
    /// a pipe waited for.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int(facts.st_size)
    }

    deinit { close(descriptor) }

    /// All of these bytes; nil where the file has become shorter, or cannot be read.
    func read(_ range: Range<Int>) -> ByteBuffer? {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(range.count)
        while buffer.readableBytes < range.count {
            let offset = range.lowerBound + buffer.readableBytes
            let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { bytes in
                max(0, pread(descriptor, bytes.baseAddress, min(bytes.count, range.upperBound - offset), off_t(offset)))
            }
            if count == 0 { return nil }
        }
        return buffer
    }
}
