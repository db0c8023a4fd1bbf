import Basics
import Foundation

/// Runs the gnuplot of this machine.
struct Gnuplot: Sendable {
    private var executable: String

    /// - Throws: ``ResultsError`` of kind `missingTool`, which says how to install it.
    init(searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? "") throws {
        let places = path.split(separator: ":").map { "\($0)/gnuplot" }
        guard let executable = places.first(where: FileManager.default.isExecutableFile) else {
            throw ResultsError(
                .missingTool, file: "gnuplot",
                """
                not installed, so no chart was drawn; install it (`apt-get install gnuplot-nox`, `brew install \
                gnuplot`) and run `cachereplay chart`
                """
            )
        }
        self.executable = executable
    }

    /// Draws one chart in `folder`. gnuplot works in a folder of its own, and only whole pictures are moved from there.
    /// - Throws: ``ResultsError`` of kind `ioError` with gnuplot's own words.
    func draw(_ chart: Chart, formats: [ChartFormat], in folder: String) throws {
        let workshop = "\(folder)/\(AtomicFile.temporaryPrefix)\(getpid())-\(chart.name)"
        try ResultsFolder.makeFolder(workshop)
        defer { try? FileManager.default.removeItem(atPath: workshop) }
        try ResultFile.write(chart.script, to: "\(workshop)/\(chart.name).gp")
        try ResultFile.write(chart.data, to: "\(workshop)/\(chart.name).csv")
        let complaint = try run("\(chart.name).gp", in: workshop)
        for format in formats {
            let picture = "\(chart.name).\(format.rawValue)"
            let size = try? FileManager.default.attributesOfItem(atPath: "\(workshop)/\(picture)")[.size] as? Int
            guard complaint == nil, let size, size > 0, rename("\(workshop)/\(picture)", "\(folder)/\(picture)") == 0
            else {
                throw ResultsError(
                    .ioError, file: "\(folder)/\(picture)",
                    """
                    gnuplot did not draw it: \(complaint ?? "no picture came out"); try `gnuplot \(chart.name).gp` there
                    """
                )
            }
        }
    }

    /// Returns what gnuplot complained about when it failed.
    private func run(_ script: String, in folder: String) throws -> String? {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = [script]
        process.currentDirectoryURL = URL(fileURLWithPath: folder, isDirectory: true)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw ResultsError(
                .missingTool, file: executable, "cannot be started; check its permissions, or install it again")
        }
        // To the end before waiting: a full pipe would stop gnuplot for good.
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason != .exit || process.terminationStatus != 0 else { return nil }
        // The reason is in the last lines, among blank ones and a caret that points into the script.
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let reasons = lines.filter { !$0.isEmpty && $0 != "^" }.suffix(2)
        return reasons.isEmpty ? "it ended with status \(process.terminationStatus)" : reasons.joined(separator: "; ")
    }
}
