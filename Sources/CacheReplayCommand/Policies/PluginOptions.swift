import ArgumentParser

/// The option `--plugin`, which loads policies from shared libraries.
struct PluginOptions: ParsableArguments {
    @Option(
        name: .customLong("plugin"),
        help: ArgumentHelp(
            "A shared library with a policy, built with cachereplay_plugin.h. Repeatable.", valueName: "library"),
        completion: .file(extensions: ["so", "dylib"]))
    var paths: [String] = []

    /// Loads the libraries and registers their policies.
    ///
    /// - Throws: A ``PluginError``, or a ``CommandFailure`` if a policy's name is already in use.
    func load() throws -> LoadedPlugins { try LoadedPlugins(paths: paths) }
}

struct LoadedPlugins: Sendable {
    private var libraries: [PluginLibrary] = []

    init(paths: [String]) throws {
        for path in paths {
            let library = try PluginLibrary(path: path)
            guard CacheReplay.policies[library.name] == nil else {
                throw CommandFailure(
                    .usage,
                    "\(path): a policy with the name '\(library.name)' already exists. Rename the plugin's policy.")
            }
            CacheReplay.add(library.entry)
            libraries.append(library)
        }
    }

    /// Returns the SHA-256 of each library's file, by the name of its policy.
    func fingerprints() throws -> [String: String] {
        try Dictionary(libraries.map { ($0.name, try Fingerprint.sha256($0.path)) }) { $1 }
    }

    /// Checks that the libraries are still those that `run.json` records.
    ///
    /// - Parameter hashes: The recorded SHA-256 of each library's file, by the name of its policy.
    /// - Throws: A ``CommandFailure`` that names a library whose file has changed.
    func check(_ hashes: [String: String]) throws {
        for library in libraries {
            guard let expected = hashes[library.name], expected != (try Fingerprint.sha256(library.path)) else {
                continue
            }
            throw CommandFailure(
                .badData, "\(library.path): the plugin changed during the replay; replay again with --resume.")
        }
    }

    /// Checks that no policy of the libraries violated the plugin interface, which would make its figures invalid.
    ///
    /// - Throws: A ``PluginError`` that describes the violation.
    func check() throws {
        for library in libraries { try library.check() }
    }
}
