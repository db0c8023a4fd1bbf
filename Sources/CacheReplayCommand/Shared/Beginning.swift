import Basics
import Foundation

/// The output of the command without arguments: five commands to begin with, one for each purpose, and an example of
/// each.
struct Beginning {
    /// A recorded session that exists, or the name of one that the reader records.
    var session: String
    /// A file that describes caches and exists, or the names of two that the reader writes.
    var baseline: String
    var candidate: String

    /// The examples for the files that are bundled with a clone or an installed package.
    static var here: Beginning {
        let session = BundledFiles.path("stress-feed.jsonl", in: "Traces", clone: "Traces")
        let caches = BundledFiles.path("demo.yaml", in: "caches", clone: "scripts")
        return Beginning(
            session: session ?? "session.jsonl", baseline: caches ?? "main.yaml", candidate: caches ?? "candidate.yaml")
    }

    var text: String {
        let (session, baseline) = (ShellText.quoted(session), ShellText.quoted(baseline))
        let candidate = ShellText.quoted(candidate)
        return """
            CacheReplay compares image caches on recorded sessions of an app. Begin with:

              Change a cache, and see what a person would have seen:
                cachereplay play \(session)
              Record what people do in an app:
                cachereplay record gallery ~/Pictures --output session.jsonl
              Decide which cache the app should have, and how much memory:
                cachereplay advise \(session) --memory 64MB
              Learn what each cache costs in blank cells and bytes:
                cachereplay replay \(session) \\
                  --cache kingfisher-8 --cache nuke-13 --timing modelled
              Check that a new cache is not worse than the present one:
                cachereplay gate \(baseline) \\
                  \(candidate) \(session)

            `cachereplay --help` lists all commands, and `cachereplay help COMMAND` explains one.
            """
    }
}

/// The files that come with the program.
enum BundledFiles {
    /// Returns the path of a file in the current folder, if that is a clone, or in the installed package; nil if it is
    /// in neither.
    static func path(_ name: String, in folder: String, clone: String) -> String? {
        ["\(clone)/\(name)", "\(installed(folder))/\(name)"].first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The path of a folder of the installed package that the program belongs to, whether it exists or not.
    static func installed(_ folder: String) -> String {
        ChildProcess.executable.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("share/cachereplay/\(folder)").path
    }
}
