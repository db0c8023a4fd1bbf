import ArgumentParser
import PolicyPlugins

/// Policies in shared libraries.
struct PluginOptions: ParsableArguments {
    @Option(
        name: .customLong("plugin"),
        help: ArgumentHelp(
            "A shared library with a policy, made with cachereplay_plugin.h; repeat for each.", valueName: "library"),
        completion: .file(extensions: ["so", "dylib"]))
    var paths: [String] = []

    /// Loads the libraries and lets specifications name their policies. Throws a ``PluginError``, or a
    /// ``CommandFailure`` where a name is taken.
    func load() throws -> LoadedPlugins { try LoadedPlugins(paths: paths) }
}

/// The libraries of a run.
struct LoadedPlugins: Sendable {
    private var libraries: [PluginLibrary] = []

    init(paths: [String]) throws {
        for path in paths {
            let library = try PluginLibrary(path: path)
            guard CacheReplay.policies[library.name] == nil else {
                throw CommandFailure(
                    .usage, "\(path): there is a policy '\(library.name)' already; give this one another name.")
            }
            CacheReplay.add(library.entry)
            libraries.append(library)
        }
    }

    /// Throws if a policy of one of them has contradicted itself: figures made with it are worth nothing.
    func check() throws {
        for library in libraries { try library.check() }
    }
}
