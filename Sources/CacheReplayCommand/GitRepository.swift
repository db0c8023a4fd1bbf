import Basics
import CacheReports
import Foundation

/// The git repository that contains the current folder.
enum GitRepository {
    /// Returns what the repository says of the commits of a history.
    ///
    /// Git runs without a shell, and reads what is on this machine only. No setting of the repository makes it start
    /// another program.
    /// - Parameters:
    ///   - names: The commits, as the history names them, each once.
    ///   - stated: The address of the pages of all commits; nil for that of the remote repository `origin`.
    static func facts(of names: [String], stated: CommitAddress?) -> CommitFacts {
        let ids = names.filter(CommitFacts.isID)
        guard !ids.isEmpty else { return CommitFacts(of: names, from: .repository([]), stated: stated) }
        // A name that is no commit is left out. The suffix excludes names of files and trees.
        let log = output(
            [
                "-c", "log.showSignature=false", "log", "--ignore-missing", "--no-walk=unsorted", "--no-color",
                "--encoding=UTF-8", "-z", "--format=tformat:%H%x00%ct%x00%s", "--stdin",
            ], input: ids.map { "\($0)^{commit}\n" }.joined())
        switch log {
        case .text(let text):
            var address: CommitAddress?
            if stated == nil, case .text(let remote) = output(["config", "--get", "remote.origin.url"]) {
                address = CommitAddress(remote: remote.trimmingCharacters(in: .newlines))
            }
            return CommitFacts(of: names, from: .repository(commits(text)), address: address, stated: stated)
        case .absent: return CommitFacts(of: names, from: .noGit, stated: stated)
        case .failed: return CommitFacts(of: names, from: .noRepository, stated: stated)
        }
    }

    /// Returns the commits of a log, whose fields end in zero bytes.
    private static func commits(_ log: String) -> [CommitFacts.Commit] {
        let fields = log.split(separator: "\0", omittingEmptySubsequences: false)
        return stride(from: 0, to: fields.count - 2, by: 3).compactMap { place in
            guard let seconds = Double(fields[place + 1]) else { return nil }
            return CommitFacts.Commit(
                id: String(fields[place]), date: Date(timeIntervalSince1970: seconds),
                subject: String(fields[place + 2]))
        }
    }

    private enum Output {
        case text(String)
        /// Git is not installed.
        case absent
        case failed
    }

    /// The exit code of `env` for a program that is not installed (POSIX.1-2017).
    private static let notFound: Int32 = 127

    /// Runs git, and returns what it prints. What it says of failures is lost.
    private static func output(_ arguments: [String], input: String = "") -> Output {
        // Missing commits are not fetched from another machine. Old versions know only the second variable.
        let environment = ProcessInfo.processInfo.environment.merging(
            ["GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"]
        ) { $1 }
        guard
            let process = try? SpawnedProcess(
                "/usr/bin/env", ["git", "--no-pager"] + arguments, in: .init(environment: environment), input: .pipe,
                output: .pipe)
        else { return .absent }
        // Git reads all ids before it prints. If it ends earlier, its exit code tells.
        _ = process.write(Array(input.utf8))
        process.closeInput()
        let text = String(decoding: SpawnedProcess.readAll(process.output), as: UTF8.self)
        switch process.wait() {
        case .exit(0): return .text(text)
        case .exit(notFound): return .absent
        default: return .failed
        }
    }
}
