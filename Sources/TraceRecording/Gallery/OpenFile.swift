import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that is open for reading, closed with the last reference. Calls block; use a thread pool.
final class OpenFile: Sendable {
    let size: Int
    private let descriptor: CInt

    /// Opens a regular file. Links were resolved when the folder was read; a link in place of the file is not followed,
    /// and a named pipe does not block.
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

    /// Returns the bytes of a range; nil if the file became shorter, or cannot be read.
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
