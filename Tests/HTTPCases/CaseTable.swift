import Foundation

/// Results of several clients in the same cases.
package struct CaseTable {
    private let cases: [CacheCase]
    private var clients: [(name: String, results: [String: String])] = []

    package init(cases: [CacheCase]) { self.cases = cases }

    /// - Parameter results: By case, in the words of the suite's published results.
    package mutating func add(_ name: String, _ results: [String: String]) { clients.append((name, results)) }

    package func count(_ kind: CacheCase.Kind? = nil) -> Int {
        cases.count { kind == nil || ($0.kind ?? .required) == kind }
    }

    package func passed(_ name: String, _ kind: CacheCase.Kind? = nil) -> Int {
        guard let results = clients.first(where: { $0.name == name })?.results else { return 0 }
        return cases.count { (kind == nil || ($0.kind ?? .required) == kind) && results[$0.id] == "pass" }
    }

    /// The rows of a CSV file without line ends in its values, by the names of its first line.
    package static func rows(ofFile path: String) throws -> [[String: String]] {
        let lines = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8).split(
            whereSeparator: \.isNewline)
        let names = lines.first?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        return lines.dropFirst().map { line in
            let values = line.split(
                separator: ",", maxSplits: max(0, names.count - 1), omittingEmptySubsequences: false)
            return Dictionary(zip(names, values.map(String.init))) { first, _ in first }
        }
    }
}
