import Foundation
import TestSupport

/// `cachereplay` as it was built in release, for what would take too long in code that is not optimised.
///
/// After a change of a policy, build it anew: `swift build -c release`.
enum OptimisedCommand {
    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".build/release/cachereplay").path

    static let isPresent = FileManager.default.isExecutableFile(atPath: path)

    struct Cell: Hashable {
        var policy: String
        var capacity: Int
    }

    /// Misses with objects of size 1, capacities in objects.
    static func misses(of policies: [String], at capacities: [Int], on trace: String) throws -> [Cell: Int] {
        struct Row: Decodable {
            var policy: String
            var capacity: Int
            var misses: Int
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "simulate", trace, "--ignore-size", "--policy", policies.joined(separator: ","), "--capacity",
            capacities.map { "\($0) objects" }.joined(separator: ","), "--json", "--quiet",
        ]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let rows = try JSONDecoder().decode([Row].self, from: data)
        return Dictionary(rows.map { (Cell(policy: $0.policy, capacity: $0.capacity), $0.misses) }) { $1 }
    }
}
