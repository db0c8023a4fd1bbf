import Basics
import CacheTraces
import Dispatch
import Foundation
import Runs
import Synchronization

enum Fingerprint {
    /// Returns the SHA-256 of this program's executable file, in hexadecimal.
    static func ofProgram() throws -> String { try sha256(ChildProcess.executable.path) }

    /// Returns the SHA-256 of the file's bytes as they are on the disk, in hexadecimal.
    ///
    /// - Parameter shouldContinue: Asked before each block. If it returns false, the rest of the file is left out.
    /// - Throws: `SystemError`.
    static func sha256(_ path: String, while shouldContinue: () -> Bool = { true }) throws -> String {
        var digest = Digest(.sha256)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(errno) }
        defer { close(file) }
        // One block, which stays in a processor's cache, for the whole file.
        try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 64) { block in
            while shouldContinue() {
                let count = read(file, block.baseAddress, block.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SystemError(errno) }
                if count == 0 { break }
                digest.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
        return digest.finish().hexadecimal
    }
}

/// The SHA-256 of this program's executable file, which a thread of its own computes from the creation on: the file has
/// 100 MB, and a command has other work meanwhile.
///
/// The owner calls ``end()`` in any case. When a process exits, libcrypto frees what the thread uses.
final class ProgramFingerprint: Sendable {
    private let digest = Mutex<Result<String, any Error>?>(nil)
    private let thread = DispatchGroup()
    private let isOver = Atomic(false)

    init() {
        thread.enter()
        do {
            try DetachedThread.start { [self] in
                let digest = Result {
                    try Fingerprint.sha256(ChildProcess.executable.path) { !isOver.load(ordering: .relaxed) }
                }
                self.digest.withLock { $0 = digest }
                thread.leave()
            }
        } catch {
            // Without a thread, the value is computed when it is needed.
            thread.leave()
        }
    }

    /// The digest, in hexadecimal. The caller waits for it.
    /// - Throws: `SystemError` for a file that cannot be read.
    var sha256: String {
        get throws {
            thread.wait()
            return try digest.withLock(\.self)?.get() ?? Fingerprint.ofProgram()
        }
    }

    /// Ends the thread, and waits for its end. The digest is not asked for afterwards.
    func end() {
        isOver.store(true, ordering: .relaxed)
        thread.wait()
    }
}

extension RunInputs {
    /// Returns the inputs of this process. The index of the folder `bodies` has the SHA-256 of every kept body.
    static func current(
        program: String, _ plugins: LoadedPlugins, bodies: String? = nil
    ) throws -> RunInputs {
        RunInputs(
            program: program, plugins: try plugins.fingerprints(),
            bodies: try bodies.map { try Fingerprint.sha256(BodyIndex.file(in: $0)) })
    }
}

/// Prints to standard error the earlier results that `--resume` does not reuse, one line for each input that changed.
/// The noun is `run` or `row`.
func printRepeated(_ repeated: [RepeatedResults], noun: String) {
    for results in repeated {
        let count = results.count == 1 ? "1 \(noun) is" : "\(results.count) \(noun)s are"
        printToStandardError("cachereplay: \(count) repeated, because \(results.change)")
    }
}
