import Basics
import CacheTraces
import Dispatch
import Foundation
import Runs
import Synchronization

/// The identity of a file's content.
enum Fingerprint {
    /// Returns the SHA-256 of the file's bytes as they are on the disk, in hexadecimal.
    static func sha256(_ path: String) throws -> String {
        var digest = Digest(.sha256)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        // One block, which stays in a processor's cache, for the whole file.
        try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 64) { block in
            while true {
                let count = read(file.fileDescriptor, block.baseAddress, block.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                if count == 0 { break }
                digest.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
        return digest.finish().hexadecimal
    }
}

/// The SHA-256 of this program's executable file, which a thread of its own computes from the creation on: the file has
/// 100 MB, and a command has other work meanwhile.
final class ProgramFingerprint: Sendable {
    private let digest = Mutex<Result<String, any Error>?>(nil)
    private let thread = DispatchGroup()

    init() {
        thread.enter()
        do {
            try DetachedThread.start { [self] in
                let digest = Result { try Fingerprint.sha256(ChildProcess.executable.path) }
                self.digest.withLock { $0 = digest }
                thread.leave()
            }
        } catch {
            // Without a thread, the value is computed when it is needed.
            thread.leave()
        }
    }

    /// The digest, in hexadecimal. The caller waits for it.
    /// - Throws: An error of the system for a file that cannot be read.
    var sha256: String {
        get throws {
            thread.wait()
            return try digest.withLock(\.self)?.get() ?? Fingerprint.sha256(ChildProcess.executable.path)
        }
    }
}

extension RunInputs {
    /// Returns the inputs of this process.
    /// - Parameters:
    ///   - program: What the command has begun to compute before other work.
    ///   - plugins: The plugins.
    ///   - bodies: The folder of kept bodies, or nil. Its index has the SHA-256 of every body.
    static func current(
        _ program: ProgramFingerprint, _ plugins: LoadedPlugins, bodies: String? = nil
    ) throws -> RunInputs {
        RunInputs(
            program: try program.sha256, plugins: try plugins.fingerprints(),
            bodies: try bodies.map { try Fingerprint.sha256(BodyIndex.file(in: $0)) })
    }
}

/// Prints to standard error the earlier results that `--resume` does not reuse, one line for each input that changed.
/// - Parameter noun: What is repeated: `run` or `row`.
func printRepeated(_ repeated: [RepeatedResults], noun: String) {
    for results in repeated {
        let count = results.count == 1 ? "1 \(noun) is" : "\(results.count) \(noun)s are"
        printToStandardError("cachereplay: \(count) repeated, because \(results.change)")
    }
}
