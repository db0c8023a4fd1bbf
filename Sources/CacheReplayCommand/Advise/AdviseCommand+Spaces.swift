import Advising
import Basics
import CachePolicies
import Foundation
import ImageLibraries
import ReplayEngine
import Runs

/// The settings that are tried.
extension AdviseCommand {
    /// Returns the limits below a limit, each by a factor of √2, and the size of the largest object at the end.
    static func limits(below top: Int, largest: Int) -> [Int] {
        let halfSteps = (1...).lazy.map { Int(Double(top) / pow(2, Double($0) / 2)) }
        return Array(halfSteps.prefix { $0 > largest }) + (largest < top ? [largest] : [])
    }

    /// Returns the settings of all caches, and notes in the question those that are left out.
    func spaces(
        of bases: [CacheConfiguration], _ known: Known, _ question: inout Advice.Question
    ) throws -> [AdviceSpace] {
        var spaces: [AdviceSpace] = []
        for base in bases {
            guard let space = try space(of: base, known, question) else {
                question.leftOut.append(base.name)
                continue
            }
            spaces.append(space)
        }
        guard disk == nil || spaces.contains(where: { $0.disk.count > 1 || $0.disk[0] != nil }) else {
            throw CommandFailure(
                .usage, "--disk: none of the caches has a disk; name one that has, such as --for nuke-13.")
        }
        return spaces
    }

    /// Returns the settings of a cache: the given limits and smaller ones, the values of the varied rules, and the
    /// levers.
    ///
    /// - Returns: nil for a cache that no option names, whose disk has no limit that could be set.
    func space(
        of base: CacheConfiguration, _ known: Known, _ question: Advice.Question
    ) throws -> AdviceSpace? {
        let budget = question.budget
        let top = budget ?? 1 << 30
        let smaller = Self.limits(below: top, largest: known.largestDecoded)
        let limits: [Int?] = [budget] + (budget == nil ? [top] : []) + smaller
        let disk = base.disk == nil ? nil : disk
        var disks: [Int?] = [disk]
        if let disk {
            let limit = SweptValue(parameter: "disk", value: Size.bytes(disk).description)
            do { _ = try base.sweeping([limit], registry: CacheReplay.policies) } catch let error as SpecError {
                guard caches != nil || base.name == question.keep else { return nil }
                throw CommandFailure(
                    .usage,
                    """
                    --disk for \(base.name): \(error.message), as in --for "\(base.name); disk: lru(200MB)"; or leave \
                    \(base.name) out of --for.
                    """)
            }
            disks += Self.limits(below: disk, largest: known.largestEncoded)
        }
        let varied = vary.contains("all") ? Self.allRules : vary
        var space = AdviceSpace(
            base, memory: limits, disk: disks,
            rules: base.tunableRules(registry: CacheReplay.policies).filter { rule in
                rule.parameter == "thumbnails" || varied.contains(Self.word(rule.parameter))
            }, registry: CacheReplay.policies)
        do {
            let cache = try space.cache(space.start(0))
            space.levers = cache.levers(for: known.sessions, registry: CacheReplay.policies)
        } catch let error as SpecError {
            let option = base.name == question.keep ? "--keep" : "--for"
            throw CommandFailure(.usage, "\(option) \(base.name): \(error.message).")
        }
        return space
    }

    /// Returns the word of `--vary` for a parameter.
    private static func word(_ parameter: String) -> String {
        parameter == "connectionsPerHost" ? "connections" : parameter
    }

    /// The words of `--vary`.
    static let allRules = ["connections", "order", "lifetime", "policy", "prefetch"]
}
