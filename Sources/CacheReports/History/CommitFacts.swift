import Basics
import Foundation

/// What a repository says of the commits of a history, and the addresses of their pages.
///
/// A history names commits as `history add --commit` has them. Only whole or shortened ids are looked up; a name of
/// another kind, such as `v1.2`, has no message.
public struct CommitFacts: Sendable {
    /// A commit of a repository.
    public struct Commit: Sendable, Equatable {
        /// The whole id, in hexadecimal.
        public var id: String
        /// The time at which the commit was made.
        public var date: Date
        /// The first paragraph of the message, as one line. It can have any characters.
        public var subject: String

        public init(id: String, date: Date, subject: String) {
            (self.id, self.date, self.subject) = (id, date, subject)
        }
    }

    /// The commits that a repository has, or why nothing is known of them.
    public enum Source: Sendable {
        case repository([Commit])
        case noGit
        case noRepository
    }

    /// By the name of the commit in the history.
    private let commits: [String: Commit]
    private let address: CommitAddress?
    /// Whether ``address`` is also that of commits that the repository does not have.
    private let isAddressOfAll: Bool
    /// Why commits have no message, as a sentence; nil if each has one.
    public let note: String?

    /// - Parameters:
    ///   - names: The commits of changes, as the history names them.
    ///   - source: What was found of them.
    ///   - address: The address of commits that were found; nil if it is unknown.
    ///   - stated: The address of all commits, which a user has stated; it takes the place of `address`.
    public init(of names: [String], from source: Source, address: CommitAddress? = nil, stated: CommitAddress? = nil) {
        self.address = stated ?? address
        isAddressOfAll = stated != nil
        guard !names.isEmpty, case .repository(let found) = source else {
            commits = [:]
            note = names.isEmpty ? nil : source.reason
            return
        }
        let byPrefix = Dictionary(grouping: found) { $0.id.prefix(Self.shortestID) }
        var known: [String: Commit] = [:]
        for name in names where Self.isID(name) {
            let id = name.lowercased()
            known[name] = byPrefix[id.prefix(Self.shortestID)]?.first { $0.id.hasPrefix(id) }
        }
        commits = known
        let missing = names.filter { known[$0] == nil }.unique()
        note =
            missing.isEmpty
            ? nil
            : """
            No id of a commit in the git repository of the current folder, so without a message: \
            \(NameList.text(missing.map(Self.shortName))).
            """
    }

    /// The fewest digits of a shortened id, which are those that git writes.
    private static let shortestID = 7

    /// Returns whether a name can be the id of a commit: 7 to 64 hexadecimal digits.
    public static func isID(_ name: String) -> Bool {
        (shortestID...64).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
    }

    /// Returns the name of a commit for people: ten digits of a longer id.
    static func shortName(_ name: String) -> String {
        isID(name) && name.utf8.count > 12 ? String(name.prefix(10)) : VisibleText.printable(name)
    }

    /// The columns of a message after which it is cut.
    private static let longestMessage = 72

    /// Returns the message of a commit for people; empty if it is unknown.
    func message(of commit: String) -> String {
        commits[commit].map { TextGrid.cut(VisibleText.printable($0.subject), width: Self.longestMessage) } ?? ""
    }

    /// Whether a message is known.
    var hasMessages: Bool { !commits.isEmpty }

    /// Returns when the commit of a figure was made; by the history if the repository does not have it.
    func date(of entry: History.Entry) -> Date { commits[entry.commit]?.date ?? entry.time }

    /// Returns the name of a commit for people, which leads to its page if the address is known.
    func link(to commit: String) -> RichText {
        let name = Self.shortName(commit)
        return url(of: commit).map { "\(external: name, to: $0)" } ?? RichText(name)
    }

    private func url(of commit: String) -> String? {
        if let found = commits[commit] { return address?.url(of: found.id) }
        return isAddressOfAll ? address?.url(of: commit) : nil
    }

    /// Returns changes as `history page --json` prints them.
    public func records(of changes: [History.Change]) -> [ChangeRecord] {
        changes.map { change in
            let commit = commits[change.entry.commit]
            return ChangeRecord(
                commit: change.entry.commit, time: change.entry.time, id: commit?.id, committed: commit?.date,
                message: commit?.subject, url: url(of: change.entry.commit), trace: change.series.trace,
                cache: change.series.cache, metric: change.series.metric, before: change.before, after: change.after,
                direction: change.direction)
        }
    }

    /// A change of a figure, with what is known of its commit.
    public struct ChangeRecord: Sendable, Encodable {
        /// The commit and its time as the history has them.
        var commit: String
        var time: Date
        /// What the repository says of the commit.
        var id: String?
        var committed: Date?
        var message: String?
        var url: String?
        var trace: String
        var cache: String
        var metric: String
        var before: Double
        var after: Double
        var direction: String
    }
}

extension CommitFacts.Source {
    fileprivate var reason: String? {
        switch self {
        case .repository: nil
        case .noGit: "Commits have no messages, because git is not installed."
        case .noRepository: "The current folder is in no git repository, so commits have no messages."
        }
    }
}

/// The address of the page of a commit: `https://host/owner/repository/commit/%`, with `%` in the place of the id.
public struct CommitAddress: Sendable, Equatable {
    private let before: String
    private let after: String

    /// - Returns: nil for a text that does not begin with `https://` and a host, that has not exactly one `%` behind
    ///   the host, or that has characters which an address cannot have.
    public init?(template: String) {
        let scheme = "https://"
        let parts = template.split(separator: "%", omittingEmptySubsequences: false)
        guard template.hasPrefix(scheme), parts.count == 2, template.utf8.allSatisfy(Self.isPermitted) else {
            return nil
        }
        let place = parts[0].dropFirst(scheme.count)
        let host = place.prefix { $0 != "/" }
        guard host.count < place.count, host.first.map({ $0.isLetter || $0.isNumber }) == true,
            host.utf8.allSatisfy({ Self.isUnreserved($0) || $0 == UInt8(ascii: ":") })
        else { return nil }
        (before, after) = (String(parts[0]), String(parts[1]))
    }

    /// Creates the address of commits from that of a remote repository, without the user and the password in it.
    ///
    /// - Returns: nil for what is neither `https://host/path` nor `git@host:path`.
    public init?(remote: String) {
        var place: String
        if remote.hasPrefix("https://") {
            let rest = remote.dropFirst("https://".count)
            let authority = rest.prefix { $0 != "/" }
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            place = "\(host)\(rest.dropFirst(authority.count))"
        } else if remote.hasPrefix("git@"), let colon = remote.firstIndex(of: ":") {
            place = "\(remote[..<colon].dropFirst("git@".count))/\(remote[colon...].dropFirst())"
        } else {
            return nil
        }
        while place.hasSuffix("/") { place.removeLast() }
        if place.hasSuffix(".git") { place.removeLast(".git".count) }
        guard place.contains("/"), !place.contains(where: { "%?#".contains($0) }) else { return nil }
        self.init(template: "https://\(place)/commit/%")
    }

    /// Returns the address of a commit. Characters of its name that have a meaning in addresses are escaped.
    func url(of commit: String) -> String {
        let name = commit.utf8.map { byte in
            Self.isUnreserved(byte)
                ? String(UnicodeScalar(byte))
                : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }
        return before + name.joined() + after
    }

    /// Whether a byte stands for itself in every part of an address (RFC 3986, 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func isPermitted(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "%:/?#@!$&()*+,;=".utf8.contains(byte)
    }
}
