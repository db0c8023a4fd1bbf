import Foundation
import PackagePlugin

/// `swift package cachereplay COMMAND …`: runs the command-line program in the folder of the package, with the given
/// arguments, and fails if it fails.
///
/// The program is, in this order, that of the environment variable `CACHEREPLAY`, the first `cachereplay` in `PATH`, or
/// the product of the package CacheReplay, which is then built in release configuration. The plugin does not name the
/// product as a dependency: the package manager would build it, with its C libraries, in every build of every package
/// that depends on CacheReplay.
@main
struct CacheReplayPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let program = try installedProgram() ?? builtProgram()
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        do { try process.run() } catch {
            throw PluginFailure(description: "\(program.path) cannot be started: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal {
            throw PluginFailure(description: "\(program.path) was ended by signal \(process.terminationStatus).")
        }
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    /// Returns the program that `CACHEREPLAY` names or that `PATH` has; nil if there is none.
    ///
    /// - Throws: ``PluginFailure`` if `CACHEREPLAY` names no program.
    private func installedProgram() throws -> URL? {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["CACHEREPLAY"] {
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw PluginFailure(
                    description: "CACHEREPLAY is '\(path)', which is not a program. Correct it, or unset it.")
            }
            return URL(fileURLWithPath: path)
        }
        for folder in (environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(folder)/cachereplay"
            if FileManager.default.isExecutableFile(atPath: path) { return URL(fileURLWithPath: path) }
        }
        return nil
    }

    /// Builds the program, and returns it.
    ///
    /// - Throws: ``PluginFailure`` with the output of the build.
    private func builtProgram() throws -> URL {
        Diagnostics.remark("Building cachereplay, because PATH has none. The first build takes some minutes.")
        var parameters = PackageManager.BuildParameters()
        parameters.configuration = .release
        parameters.logging = .concise
        let result = try packageManager.build(.product("cachereplay"), parameters: parameters)
        let artifact = result.builtArtifacts.first { $0.kind == .executable }
        guard result.succeeded, let artifact else {
            throw PluginFailure(
                description: """
                    cachereplay cannot be built. Install the C libraries that scripts/install of CacheReplay names, or \
                    install a package of a release, whose program this plugin finds in PATH.
                    \(result.logText)
                    """)
        }
        return artifact.url
    }
}

/// What is wrong, and the remedy.
struct PluginFailure: Error, CustomStringConvertible {
    var description: String
}
