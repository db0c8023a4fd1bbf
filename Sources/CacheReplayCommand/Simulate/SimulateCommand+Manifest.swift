import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Runs

/// What `run.json` records.
extension SimulateCommand {
    /// Returns the facts of a simulation that begins.
    ///
    /// - Throws: `TraceError` for a named file that cannot be read.
    func manifest(
        _ policies: [PolicyChoice], _ files: [TraceFile], _ plugins: LoadedPlugins, _ start: Date
    ) throws -> Manifest<SimulationFacts> {
        var settings = [
            "ignore_size": "\(ignoreSize)", "format": input.format?.name ?? "recognised",
            "reading": "\(input.recording.options)",
            "columns": "\(input.csv.options)",
        ]
        settings["sizes"] = varying.rawValue
        settings["cost"] = cost?.rawValue ?? "default"
        settings["sample"] = sample.map { "\($0)" } ?? sampleSize.map { "\($0) objects" } ?? "all"
        // Only with the option, so that results without it do not change.
        settings["salts"] = salts.map { "\($0)" }
        settings.merge(parts.settings) { _, part in part }
        var manifest = Manifest<SimulationFacts>(
            versions: ["cachereplay": CacheReplay.version], command: CommandLine.arguments,
            traces: try files.map { .init(name: $0.name, path: $0.path, sha256: try fingerprint($0)) },
            inputs: try RunInputs.current(program: Fingerprint.ofProgram(), plugins), start: start,
            SimulationFacts(
                policies: policies.map { .init(name: $0.text, specification: $0.canonical) },
                capacities: capacity.map(Self.list) ?? [], settings: settings, jobs: jobsOption.threads))
        manifest.csvSafe = csv.csvSafe ? true : nil
        let what = "\(curve) \(stream)\(bounds ? " bounds" : "")"
        manifest.shard = try shard.map { try .init($0, of: manifest, what: what) }
        return manifest
    }

    /// Returns the SHA-256 of a file. It is empty for a pipe, whose bytes can be read only once, and for a file of a
    /// folder that cannot be read, which is skipped when its turn comes.
    /// - Throws: `TraceError` for a named file that cannot be read.
    private func fingerprint(_ file: TraceFile) throws -> String {
        guard file.regularSize != nil else { return "" }
        return file.isNamed ? try file.sha256() : (try? file.sha256()) ?? ""
    }
}
