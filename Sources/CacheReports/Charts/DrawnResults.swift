import Foundation
import Runs

/// Results with charts.
public protocol DrawnResults: StoreKind {
    static var chartKinds: [String] { get }
}

extension ReplayRuns: DrawnResults {
    public static var chartKinds: [String] {
        ChartKind.allCases.map(\.rawValue) + OverviewChart.allCases.map(\.rawValue)
            + FleetChart.allCases.map(\.rawValue)
    }
}

extension Store where Kind: DrawnResults {
    /// Makes the folder ready, and writes its `run.json`.
    ///
    /// Without `resume`, earlier results and charts are removed, except scripts that a user has edited; if `replaces`
    /// is false, earlier results are an error instead. With `resume`, they are kept, except those whose inputs changed
    /// (`repeated`).
    /// - Throws: `ResultsError`: `cannotCreate`, `ioError`, or `badData` for a broken file.
    public static func begin(
        at path: String, _ manifest: Manifest<Kind.Facts>, resume: Bool, replaces: Bool = true
    ) throws -> Store {
        try begin(at: path, manifest, resume: resume, replaces: replaces) { Chart.isOwn($0, of: Kind.chartKinds) }
    }

    /// Removes earlier results and charts, except scripts that a user has edited, and the folder if it is then empty.
    /// - Throws: `ResultsError`: `cannotCreate` while another process writes to the folder, or for files of the user
    ///   under the names of results; `ioError`.
    public static func remove(at path: String) throws {
        guard ResultFile.isFolder(path) else { return }
        let lock = try ResultFile.claimFolder(path)
        defer { withExtendedLifetime(lock) {} }
        try Kind.files.refuseForeign(in: path)
        try Kind.files.remove(from: path) { Chart.isOwn($0, of: Kind.chartKinds) }
        // Neither removes a folder with files in it.
        rmdir("\(path)/charts")
        rmdir(path)
    }
}
