import Basics
import CacheTraces
import Foundation
import Playground
import ReplayEngine
import Runs
import SessionModel
import TraceAnalysis

/// The sessions of `play`, and the groups of them that are compared as people.
struct PlayedTraces {
    private(set) var sessions: [PlayOptions.Session] = []
    private(set) var populations: [PlayOptions.Population] = []

    /// Prepares the traces, and reads the first one that can be replayed. Traces before it that cannot be replayed, and
    /// files of folders that are no traces, are left out and named on standard error. The page names damaged traces
    /// that are read later.
    ///
    /// - Parameter isStrict: Whether all traces are read now, and the first one that cannot be replayed is an error.
    /// - Throws: ``CommandFailure``, or the error of the reader, if a file is missing or no trace is left.
    init(_ sources: TraceSources, isStrict: Bool) throws {
        var skipped: [SkippedSource] = []
        var files: [TraceFile] = []
        var first: Trace?
        for file in sources.files {
            if file.isNamed, !FileManager.default.fileExists(atPath: file.place) { _ = try file.read() }
            guard first == nil || isStrict || !Self.isRecognised(file) else {
                files.append(file)
                continue
            }
            do {
                let trace = try Self.read(file)
                if first == nil { first = trace }
                files.append(file)
            } catch {
                // One broken trace does not keep the others from being shown, also if it is named by itself.
                var file = file
                file.isNamed = false
                skipped.append(try file.skipped(after: error, isStrict: isStrict))
            }
        }
        try TraceSources.report(skipped, of: sources.files.count, work: "replayed")
        for (place, file) in files.enumerated() {
            sessions.append(Self.session(file, place == 0 ? first : nil))
        }
        populations = Self.populations(files)
    }

    /// Returns the arguments of the bundled traces: first a recorded session that has all events and the other single
    /// sessions, and then the archive of people, whose extraction takes longer than a first picture.
    ///
    /// - Throws: ``CommandFailure`` if no bundled trace is found.
    static func bundled() throws -> (first: [String], archive: [String]) {
        for folder in ["Traces", BundledFiles.installed("Traces")] {
            let recorded: String = "\(folder)/recorded/feed.jsonl"
            let people: String = "\(folder)/people-feed.tar.xz"
            let isThere = { (path: String) -> Bool in FileManager.default.fileExists(atPath: path) }
            let first: [String] = [recorded].filter(isThere) + CalibrateCommand.bundled(in: folder)
            let archive: [String] = [people].filter(isThere)
            if !first.isEmpty { return (first, archive) }
            if !archive.isEmpty { return (archive, []) }
        }
        throw CommandFailure(
            .noInput,
            """
            Which traces? Name some, such as "Sessions/*.jsonl", or start the command in a folder with the bundled \
            folder Traces. `cachereplay record gallery` records a session.
            """)
    }

    /// Whether a file of a folder, an archive, a pattern or a list can be a trace. What is named by itself is one.
    private static func isRecognised(_ file: TraceFile) -> Bool {
        file.isNamed || file.format != nil || (try? TraceFormat.isRecognised(path: file.place)) == true
    }

    private static func session(_ file: TraceFile, _ trace: Trace?) -> PlayOptions.Session {
        // The files of an archive, and the copy of standard input, exist as long as this process.
        let path = file.extracted == nil && file.copy == nil ? file.path : file.place
        return PlayOptions.Session(path: path, name: file.name) {
            if let trace { return trace }
            return try read(file)
        }
    }

    private static func read(_ file: TraceFile) throws -> Trace {
        try file.checkRereadable()
        let trace = try file.read().trace
        guard TraceSummary(trace).requests > 0 else {
            throw CommandFailure(
                .badData,
                "\(file.path): nothing to replay, no cell ever appears; `cachereplay trace info` shows its events.")
        }
        try file.naming { try ReplayJob.check(trace) }
        return trace
    }

    /// Returns the groups of files that were found in one folder or archive, if there are several in it.
    private static func populations(_ files: [TraceFile]) -> [PlayOptions.Population] {
        var folders: [String] = []
        var places: [String: [Int]] = [:]
        for (place, file) in files.enumerated() {
            guard let folder = file.folder else { continue }
            if places[folder] == nil { folders.append(folder) }
            places[folder, default: []].append(place)
        }
        var taken = Set(files.map(\.name))
        var found: [PlayOptions.Population] = []
        for folder in folders {
            guard let sessions = places[folder], sessions.count > 1 else { continue }
            var name = Self.name(ofFolder: folder)
            while !taken.insert(name).inserted { name += " (people)" }
            found.append(PlayOptions.Population(name: name, path: folder, sessions: sessions))
        }
        return found
    }

    /// Returns the name of a folder or an archive without the endings of archives.
    private static func name(ofFolder folder: String) -> String {
        var name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
        guard TraceArchive.isArchive(folder) else { return name }
        let compressed = [".gz", ".bz2", ".xz", ".zst"]
        let packed = [".tar", ".tgz", ".tbz2", ".txz", ".tzst", ".zip"]
        for endings in [compressed, packed] {
            name = endings.lazy.compactMap { name.dropping(ending: $0, anyCase: true) }.first ?? name
        }
        return name
    }
}

/// Traces in archives, which are extracted while the page of `play` is shown already.
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

    func remove() {
        for file in files.withLock({ $0 }) { file.extracted?.folder.remove() }
    }
}

/// The caches that `play` begins with, and those that its page offers.
struct PlayedCaches {
    /// The texts of the first caches, at most four; empty for the default caches of the page.
    private(set) var first: [String] = []
    /// The texts of the caches of a configuration file.
    private(set) var offered: [String] = []
    /// Whether one of them is a program of the user's own.
    private(set) var haveProgram = false

    static let most = 4

    /// - Throws: ``CommandFailure`` or `SpecError` for a text that is no cache.
    init(_ texts: [String], _ file: (path: String, config: ConfigFile)?) throws {
        let caches = try texts.map { try ReplayCommand.cache($0) }
        if let (path, config) = file {
            for (cache, text) in zip(config.caches, config.cacheTexts) {
                guard (try? ReplayCommand.cache(text)) == cache else {
                    throw CommandFailure(
                        .usage,
                        "\(path): the cache \(cache.name) cannot be written as one text, which the page needs; give it "
                            + "with --cache.")
                }
            }
            offered = config.cacheTexts
        }
        let all = caches + (file?.config.caches ?? [])
        try ReplayPlan.checkNames(all.map(\.name), "caches", remedy: "give them different names")
        first = Array((texts + offered).prefix(Self.most))
        haveProgram = all.contains { $0.own != nil }
    }
}
