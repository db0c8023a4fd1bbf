import CacheTraces
import Foundation

/// A file that is written piece by piece and appears under its name only when it is whole.
final class StreamedFile {
    private let path: String
    private let temporary: String
    private let isSpecial: Bool
    private let handle: FileHandle

    init(_ path: String) throws {
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            throw CommandFailure(.cannotCreate, "\(path): cannot be written: is a folder; give a file name")
        }
        // A device or pipe, such as /dev/stdout, cannot be replaced: it is written as it is.
        isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
        self.path = path
        temporary = isSpecial ? path : "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).tmp"
        let flags = isSpecial ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = open(temporary, flags, 0o666)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "\(path): cannot be written: \(String(cString: strerror(errno)))")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw CommandFailure(
                .ioError, "\(path): writing failed: \(String(cString: strerror(errno))); nothing was kept")
        }
    }

    /// Runs `body`, which writes the file, and gives it its name; removes it when `body` fails.
    func whole(_ body: () throws -> Void) throws {
        do {
            try body()
            try handle.close()
        } catch {
            if !isSpecial { unlink(temporary) }
            throw error
        }
        guard !isSpecial, rename(temporary, path) != 0 else { return }
        let reason = String(cString: strerror(errno))
        unlink(temporary)
        throw CommandFailure(.cannotCreate, "\(path): cannot be written: \(reason)")
    }
}
