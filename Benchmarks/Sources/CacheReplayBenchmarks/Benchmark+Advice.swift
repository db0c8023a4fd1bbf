import Advising
import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import TraceSynthesis

/// Measures the search of `advise` beside an exhaustive one, on the bundled sessions: the blank time of the answer, the
/// memory that is enough, and the number of replays.
///
/// The settings are limits of memory and disk by factors of √2, connections, and the order of fetches.
func adviceBenchmarks() throws -> [BenchmarkRow] {
    let folder = Repository.root.appendingPathComponent("Traces").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }.sorted()
    let sessions = files.map { file in
        AdviceSession(name: String(file.dropLast(6)), user: nil, size: 0, fingerprint: { "" }) {
            let trace = try TraceReading(contentsOf: "\(folder)/\(file)").trace
            let network = try ReplayJob.Network.sharedLink(of: trace) ?? .recorded
            return .init(try PreparedTrace(trace, network: network), network)
        }
    }
    let limits: [Int?] = (0...12).map { Int(64e6 / pow(2, Double($0) / 2)) }
    let spaces = try ["nuke-13", "glide"].map { name in
        let base = try CacheConfiguration(specification: name)
        let varied = ["connections", "connectionsPerHost", "order"]
        let rules = base.tunableRules().filter { varied.contains($0.parameter) }
        return AdviceSpace(base, memory: limits, disk: limits, rules: rules)
    }
    var options = AdviceReplays.Options()
    options.threads = ProcessInfo.processInfo.activeProcessorCount
    options.reasonToSkip = { throw $1 }
    let searched = AdviceReplays(spaces, sessions, options)
    var search = Advice.SearchOptions()
    search.threads = options.threads
    let question = Advice.Question(budget: limits[0], disk: limits[0])
    let time = ContinuousClock.now
    let advice = try Advice.search(searched, question, search)
    let searchSeconds = (ContinuousClock.now - time) / .seconds(1)
    let replays = Double(searched.replayCount)
    guard let answer = advice.rows.first else { throw BenchmarkError(description: "the search has no answer") }

    let all = AdviceReplays(spaces, sessions, options)
    var best: ExhaustiveAdvice?
    let exhaustiveSeconds = try seconds { best = try ExhaustiveAdvice(all) }
    guard let best, Double(all.replayCount) == advice.search?.exhaustive else {
        throw BenchmarkError(description: "the exhaustive search has replayed \(all.replayCount) times")
    }
    let name = "advise on \(sessions.count) bundled sessions, \(all.replayCount / sessions.count) settings of 2 caches"
    return [
        BenchmarkRow(
            name, metric: "blank time of the answer", unit: "ratio", .lowerIsBetter, ours: answer.blankRatio,
            peerName: "the minimum of all settings", peer: best.leastBlank),
        BenchmarkRow(
            name, metric: "blank time of the answer", unit: "ratio", .lowerIsBetter, ours: answer.blankRatio,
            peerName: "the minimum of all settings with its rules", peer: best.leastBlank(withRulesOf: answer)),
        BenchmarkRow(
            name, metric: "memory that is enough on average", unit: "bytes", .lowerIsBetter,
            ours: Double(answer.enoughOnAverage ?? advice.budget ?? 0),
            peerName: "the minimum within 0.1 points of the answer's blank time, for the same cache and rules",
            peer: Double(best.leastMemory(like: answer, blank: answer.blankRatio + 0.001))),
        BenchmarkRow(
            name, metric: "replays", unit: "replays", .lowerIsBetter, ours: replays, peerName: "2 % of all",
            peer: 0.02 * Double(all.replayCount)),
        BenchmarkRow(
            name, metric: "time", unit: "s", .lowerIsBetter, ours: searchSeconds, peerName: "the exhaustive search",
            peer: exhaustiveSeconds),
    ]
}

/// Measures whether a limit that is enough for one half of 200 synthesized users is enough for the other half: for each
/// of several caches, the share of the other users beside the lower end of the interval that the answer gives, or 95 %.
func adviceHalvesBenchmarks() throws -> [BenchmarkRow] {
    let users = try (1...200).map { number in
        var model = PeopleModel()
        (model.requests, model.days) = (400, 60)
        let trace = try TraceSynthesis.Population.trace(model, person: number)
        return AdviceSession(name: "user-\(number)", user: nil, size: 0, fingerprint: { "" }) {
            .init(try PreparedTrace(trace), .recorded)
        }
    }
    let limits: [Int?] = [nil] + (0...14).map { Int(1_024e6 / pow(2, Double($0) / 2)) }
    let caches = ["nuke-13", "kingfisher-8", "sdwebimage-5", "glide", "coil-3", "fresco"]
    var options = AdviceReplays.Options()
    options.threads = ProcessInfo.processInfo.activeProcessorCount
    options.reasonToSkip = { throw $1 }
    var search = Advice.SearchOptions()
    search.threads = options.threads
    var rows: [BenchmarkRow] = []
    for half in 0...1 {
        let own = users.enumerated().filter { $0.offset % 2 == half }.map(\.element)
        let others = users.enumerated().filter { $0.offset % 2 != half }.map(\.element)
        let spaces = try caches.map { AdviceSpace(try CacheConfiguration(specification: $0), memory: limits) }
        search.sample = own.count
        let advice = try Advice.search(AdviceReplays(spaces, own, options), .init(), search)
        for cache in caches {
            guard let row = advice.rows.first(where: { $0.cache == cache }), let enough = row.smallestSufficientLimit
            else { continue }
            let space = AdviceSpace(try CacheConfiguration(specification: cache), memory: [limits[0], enough])
            let share = try AdviceReplays([space], others, options).shareOfUsers(
                AdviceChoice(space: 0, memory: 1), near: AdviceChoice(space: 0))
            rows.append(
                BenchmarkRow(
                    "\(cache) with \(enough) bytes, enough for half \(half + 1) of 200 synthesized users",
                    metric: "share of the other half", unit: "ratio", .higherIsBetter, ours: share,
                    peerName: "lower end of the interval in the answer, or 0.95",
                    peer: min(row.enoughForUsersLow ?? 0.95, 0.95)))
        }
    }
    return rows
}
