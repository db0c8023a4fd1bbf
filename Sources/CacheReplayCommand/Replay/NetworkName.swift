import ArgumentParser
import Basics
import Foundation
import ReplayEngine
import Runs
import Yams

extension ReplayCommand {
    /// The value of `--network`: a meaning of recorded times, the name of a profile, or a file with a profile.
    struct NetworkName: ExpressibleByArgument, Equatable {
        let rawValue: String

        static let auto = NetworkName(rawValue: "auto")
        static let recorded = NetworkName(rawValue: "recorded")
        static let shared = NetworkName(rawValue: "shared")

        static var allValueStrings: [String] {
            [auto, recorded, shared].map(\.rawValue) + NetworkProfile.all.map(\.name) + ["FILE.yaml", "LINK.csv"]
        }

        /// Whether the network is another one than the recorded one.
        var isProfile: Bool { ![.auto, .recorded, .shared].contains(self) }

        private var isFile: Bool { rawValue.hasEnding(".yaml") || rawValue.hasEnding(".yml") }

        private var isLink: Bool { LinkFile.endings.contains(where: rawValue.hasEnding) }

        var defaultValueDescription: String { rawValue }

        private init(rawValue: String) { self.rawValue = rawValue }

        init?(argument: String) {
            rawValue = argument
            guard isFile || isLink || Self.allValueStrings.dropLast(2).contains(argument) else { return nil }
        }

        /// Returns the choice for modelled replays.
        ///
        /// - Throws: ``CommandFailure`` that names the file and the line.
        func choice() throws -> ReplayPlan.NetworkChoice {
            switch self {
            case .auto: .auto
            case .recorded: .recorded
            case .shared: .shared
            default:
                .profile(
                    try NetworkProfile.all.first { $0.name == rawValue }
                        ?? (isLink ? NetworkFile.profile(ofLink: rawValue) : NetworkFile(contentsOf: rawValue).profile))
            }
        }

        /// Returns the choices of networks that differ from one another.
        ///
        /// - Throws: ``CommandFailure`` for two that can be the same, and for a file that describes none.
        static func choices(_ networks: [NetworkName]) throws -> [ReplayPlan.NetworkChoice] {
            var known: [String: NetworkName] = [:]
            return try networks.map { network in
                let choice = try network.choice()
                for name in ReplayFacts.names(ofNetwork: choice.name) {
                    guard let earlier = known.updateValue(network, forKey: name) else { continue }
                    throw CommandFailure(
                        .usage,
                        earlier == network
                            ? "--network \(network.rawValue) is given twice; name each network once."
                            : """
                            --network \(earlier.rawValue) and --network \(network.rawValue) can be the same network; \
                            name one of them.
                            """)
                }
                return choice
            }
        }

        /// - Throws: `ValidationError` for another network than the recorded one, if nothing takes time.
        func check(isInstant: Bool, isOneOfSeveral: Bool = false) throws {
            guard isInstant, isProfile || isOneOfSeveral else { return }
            throw ValidationError("--network \(rawValue) needs another --timing: with instant, nothing takes time.")
        }

        static let help: ArgumentHelp = """
            recorded: each transfer takes its recorded time. shared: transfers share a link whose rate is estimated \
            from the recording. auto: shared where the estimate reproduces the recording (see \
            'cachereplay validate'), otherwise recorded. 3g, lte, wifi, or a YAML file: another network, whose link \
            all transfers share. A CSV file of rates (start_ms, mbit_s) or mahimahi's packet lines (.up, .down, \
            .trace): a measured link, which begins again at its end, with the round trip of lte. `replay` and `gate` \
            take several: repeat the option for each.
            """
    }
}

/// A YAML file with a ``NetworkProfile``, one fact a line:
/// ```yaml
/// bandwidth: 4Mbps            # or link: train.csv, a measured link
/// first_byte: 140ms
/// connect: 200ms
/// metered: true
/// outages: [30s..45s, 100s..110s]
/// ```
/// `bandwidth` or `link`, and `first_byte` are needed. The path of a link begins at the folder of the file. The name in
/// results is the name of the file, the start of its checksum, and the start of its link's checksum.
struct NetworkFile {
    let profile: NetworkProfile

    private static let keys = ["bandwidth", "link", "first_byte", "connect", "metered", "outages"]

    /// Returns the network of a measured link, with the connections and the first byte of `lte`.
    /// - Throws: ``CommandFailure`` that names the file and the line.
    static func profile(ofLink path: String) throws -> NetworkProfile {
        let link = try LinkFile(contentsOf: path).link
        var profile = NetworkProfile(
            name: try name([path]), bytesPerSecond: link.mean, connect: NetworkProfile.lte.connect,
            firstByte: NetworkProfile.lte.firstByte, isMetered: NetworkProfile.lte.isMetered)
        profile.measured = link
        return profile
    }

    /// Returns the name of a network in results: the name of its first file, and the checksums of all its files.
    private static func name(_ paths: [String]) throws -> String {
        let name = URL(fileURLWithPath: paths[0]).deletingPathExtension().lastPathComponent
        return "\(name)#\(try paths.map { try Fingerprint.sha256($0).prefix(8) }.joined(separator: "+"))"
    }

    init(contentsOf path: String) throws {
        let yaml = try YAMLFile(contentsOf: path, expected: "facts of a network such as 'bandwidth: 4Mbps'")
        var facts: [String: Node] = [:]
        for (key, value) in try yaml.pairs(yaml.root, "a network") {
            guard let name = key.string, Self.keys.contains(name) else {
                throw yaml.unknown(key, "a network", Self.keys)
            }
            facts[name] = value
        }
        func needed(_ name: String, _ example: String) throws -> Node {
            guard let node = facts[name] else {
                throw yaml.error(yaml.root, "'\(name)' is missing; write for example '\(name): \(example)'")
            }
            return node
        }
        let link = try facts["link"].map { node in
            guard facts["bandwidth"] == nil, facts["outages"] == nil else {
                throw yaml.error(node, "a measured link has its own rates; remove 'bandwidth' and 'outages'")
            }
            return try Self.path(ofLink: node, yaml)
        }
        let measured = try link.map { try LinkFile(contentsOf: $0).link }
        let rate = try measured?.mean ?? Self.bandwidth(facts["bandwidth"], yaml)
        var profile = NetworkProfile(
            name: try Self.name([path] + [link].compactMap(\.self)), bytesPerSecond: rate,
            connect: try facts["connect"].map { try Self.time($0, "connect", yaml) } ?? 0,
            firstByte: try Self.time(try needed("first_byte", "140ms"), "first_byte", yaml))
        profile.measured = measured
        if let metered = facts["metered"] {
            guard let flag = metered.bool else { throw yaml.error(metered, "metered is true or false") }
            profile.isMetered = flag
        }
        if let outages = facts["outages"] { profile.outages = try Self.outages(outages, yaml) }
        self.profile = profile
    }

    private static func path(ofLink node: Node, _ yaml: YAMLFile) throws -> String {
        let name = try yaml.text(node, "the file of a link")
        let folder = URL(fileURLWithPath: yaml.path).deletingLastPathComponent()
        return name.utf8.first == UInt8(ascii: "/") ? name : folder.appendingPathComponent(name).path
    }

    /// Returns bytes per second.
    private static func bandwidth(_ node: Node?, _ yaml: YAMLFile) throws -> Double {
        guard let node else {
            throw yaml.error(
                yaml.root, "'bandwidth' is missing; write for example 'bandwidth: 4Mbps', or 'link: FILE.csv'")
        }
        do { return try NetworkOption.rate(node.string ?? "") } catch {
            throw yaml.error(node, "bandwidth: expected a rate such as 4Mbps or 500KB/s, from 1kbps on")
        }
    }

    /// Returns nanoseconds.
    private static func time(_ node: Node, _ name: String, _ yaml: YAMLFile) throws -> Int64 {
        guard let time = try? TimeSpan.microseconds(node.string ?? ""), (0...60_000_000).contains(time) else {
            throw yaml.error(node, "\(name): expected a time up to 60s, such as 140ms")
        }
        return time * 1_000
    }

    private static func outages(_ node: Node, _ yaml: YAMLFile) throws -> [NetworkProfile.Outage] {
        guard let list = node.sequence else {
            throw yaml.error(node, "outages: expected a list of intervals, such as [30s..45s]")
        }
        var outages: [NetworkProfile.Outage] = []
        for entry in list {
            let sides = (entry.string ?? "").components(separatedBy: "..")
            guard sides.count == 2, let start = try? TimeSpan.microseconds(sides[0]),
                let end = try? TimeSpan.microseconds(sides[1]), start >= 0, start < end,
                start * 1_000 >= outages.last?.end ?? 0, end < 1 << 50
            else {
                throw yaml.error(
                    entry, "outages: expected an interval such as 30s..45s, which begins after the one before it")
            }
            outages.append(.init(start: start * 1_000, end: end * 1_000))
        }
        return outages
    }
}
