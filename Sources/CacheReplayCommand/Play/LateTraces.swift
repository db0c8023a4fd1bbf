import Basics
import Foundation
import Playground
import Runs

/// Traces that are read while the page of `play` is shown already: those of archives, whose extraction takes longer
/// than a first picture.
final class LateTraces: Sendable {
    let paths: [String]
    private let files = Locked<[TraceFile]>([])

    init(_ paths: [String]) { self.paths = paths }

    /// Extracts the archives; nil without any.
    var reading: (@Sendable () throws -> PlayOptions.Later)? {
        guard !paths.isEmpty else { return nil }
        return { [self] in
            let sources = try TraceSources(paths, format: nil)
            files.withLock { $0 = sources.files }
            let traces = try PlayedTraces(sources, isStrict: false)
            return PlayOptions.Later(sessions: traces.sessions, populations: traces.populations)
        }
    }

    /// Removes the extracted files.
    func remove() {
        for file in files.withLock({ $0 }) { file.extracted?.folder.remove() }
    }
}
