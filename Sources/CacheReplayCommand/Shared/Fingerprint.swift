import Basics
import CacheTraces
import Foundation
import Runs

/// The identity of a file's content.
enum Fingerprint {
    /// Returns the SHA-256 of the file's bytes as they are on the disk, in hexadecimal.
    static func sha256(_ path: String) throws -> String {
        var digest = Digest(.sha256)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { part.withUnsafeBytes { digest.update($0) } }
        return digest.finish().hexadecimal
    }
}

extension RunInputs {
    /// Returns the inputs of this process.
    /// - Parameter bodies: The folder of kept bodies, or nil. Its index has the SHA-256 of every body.
    static func current(_ plugins: LoadedPlugins, bodies: String? = nil) throws -> RunInputs {
        RunInputs(
            program: try Fingerprint.sha256(ChildProcess.executable.path), plugins: try plugins.fingerprints(),
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
