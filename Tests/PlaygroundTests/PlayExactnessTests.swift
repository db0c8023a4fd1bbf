import Foundation
import ImageLibraries
import MeasuredTiers
import ReplayEngine
import ResultColumns
import Runs
import SessionModel
import Testing

@testable import Playground

@Suite("Figures of the page are those of the command that it offers")
struct PlayExactnessTests {
    /// The words of a command, each option with its values.
    private struct Command {
        var values: [String: [String]] = [:]
        var flags: Set<String> = []

        init(_ arguments: [String]) {
            var rest = arguments.dropFirst(2)
            while let name = rest.popFirst() {
                if name == "--no-decode" {
                    flags.insert(name)
                } else if let value = rest.popFirst() {
                    values[name, default: []].append(value)
                }
            }
        }
    }

    /// Returns the network that `replay` has for a value of --network.
    private func network(_ name: String, _ trace: Trace) throws -> ReplayJob.Network {
        switch name {
        case "recorded": return .recorded
        case "shared", "auto":
            let shared = try ReplayJob.Network.sharedLink(of: trace)
            return shared ?? .recorded
        default:
            let profile = NetworkProfile.all.first { $0.name == name }
            return .profile(try #require(profile))
        }
    }

    /// Returns the caches of a command, with the rules of the app that `replay` gives them.
    private func caches(_ command: Command) throws -> [CacheConfiguration] {
        let caches = try (command.values["--cache"] ?? []).map { option in
            try CacheOption(option).configuration(registry: .builtIn)
        }
        switch command.values["--app"] {
        case nil: return AppRules(equalIn: caches).caches
        case ["own"]: return caches
        case .some(let values): throw PlayFailure(.failed, "unexpected --app \(values)")
        }
    }

    /// Replays a command as `cachereplay replay` does, through the cache of a state.
    private func replayed(_ command: Command, _ cache: PlayCache, _ trace: Trace) throws -> RunResult {
        let number = try #require(command.values["--cache"]?.firstIndex { $0 == cache.option })
        let events = try InjectedEvents(command.values["--memory-warning-at"] ?? [], .memoryWarning)
        let name = cache.network.name
        let names = command.values["--network"] ?? []
        // Beside another meaning of recorded times, auto is written as what it stands for.
        let written = names.contains(name) ? name : try network(name, trace).name
        #expect(names.contains(written), "\(names)")
        var job = ReplayJob(trace: "feed", cache: try caches(command)[number])
        job.timing = .modelled(.standard)
        job.network = try network(written, trace)
        job.seed = try #require(UInt64(command.values["--seed"]?.first ?? "1"))
        job.decode = !command.flags.contains("--no-decode")
        job.injected = events.text
        let prepared = try PreparedTrace(events.apply(to: trace), network: job.network)
        return try job.runForResults(prepared, measured: .real)
    }

    @Test("In 200 random states, digit by digit")
    func states() throws {
        let trace = try PlaySupport.bundled().prefix(500)
        let seconds = Int((trace.events.last?.time ?? 0) / 1_000_000)
        let playground = try PlaySupport.playground { options in options.sessions = [PlaySupport.session("feed", trace)]
        }
        var states = PlayStates(seed: 200, session: "feed", seconds: seconds)
        var (accepted, tried) = (0, 0)
        while accepted < 200, tried < 2_000 {
            tried += 1
            let question = states.next()
            let body = PlaySupport.body(question)
            let answer: String
            do { answer = try playground.answer(.figures, body, isOvertaken: { false }) } catch {
                // Not every cache has every rule, and two caches may have one name.
                let failure = try #require(error as? PlayFailure, "\(error)")
                #expect(failure.kind == .badQuestion, "\(failure)")
                continue
            }
            accepted += 1
            let command = Command(try playground.replayArguments(body))
            let digits = PlayStates.digits(answer)
            #expect(digits.count == question.caches.count)
            for (place, cache) in question.caches.enumerated() {
                let made = try PlayCache(cache, at: place, playground.options)
                let result = try replayed(command, made, trace)
                for column in SummaryColumns.metrics {
                    let expected = column.written(result)
                    let found = digits[place][column.name]
                    #expect(found == (expected.isEmpty ? "null" : expected), "\(column.name) of \(made.option)")
                }
            }
        }
        #expect(accepted == 200, "of \(tried) states")
    }

    @Test("Libraries that differ in a rule of the app are held equal, or each has its own with --app own")
    func rulesOfTheApp() throws {
        let trace = try PlaySupport.bundled().prefix(500)
        let playground = try PlaySupport.playground { options in options.sessions = [PlaySupport.session("feed", trace)]
        }
        var digits: [[[String: String]]] = []
        for app in PlayQuestion.AppChoice.allCases {
            var question = PlaySupport.question(
                "feed", a: PlaySupport.cache("kingfisher-8", network: "3g"),
                b: PlaySupport.cache("yycache", ["connections": "1"], network: "3g"))
            question.app = app
            let body = PlaySupport.body(question)
            let command = Command(try playground.replayArguments(body))
            #expect(command.values["--app"] == (app == .own ? ["own"] : nil))
            let answer = try playground.answer(.figures, body, isOvertaken: { false })
            #expect(answer.contains("here for yycache") == (app == .equal), "\(app)")
            let own = PlayStates.digits(answer)
            digits.append(own)
            for (place, cache) in question.caches.enumerated() {
                let made = try PlayCache(cache, at: place, playground.options)
                let result = try replayed(command, made, trace)
                for column in SummaryColumns.metrics {
                    let expected = column.written(result)
                    #expect(own[place][column.name] == (expected.isEmpty ? "null" : expected), "\(column.name)")
                }
            }
        }
        #expect(digits[0][0] == digits[1][0])
        #expect(digits[0][1] != digits[1][1])
    }

    @Test(
        "In 200 random states, the program writes the same digits into summary.csv",
        arguments: (1...10).map { UInt64($0) })
    func program(seed: UInt64) throws {
        let trace = try PlaySupport.bundled()
        let playground = try PlaySupport.playground { options in
            options.sessions = [PlayOptions.Session(path: PlaySupport.feed, name: "stress-feed") { trace }]
        }
        var states = PlayStates(seed: seed, session: "stress-feed", seconds: 100)
        var (accepted, tried) = (0, 0)
        while accepted < 20, tried < 200 {
            tried += 1
            let question = states.next()
            let body = PlaySupport.body(question)
            guard let answer = try? playground.answer(.figures, body, isOvertaken: { false }) else { continue }
            accepted += 1
            let arguments = try playground.replayArguments(body)
            let rows = try PlayProgram.summary(of: arguments)
            let digits = PlayStates.digits(answer)
            for (place, cache) in question.caches.enumerated() {
                let made = try PlayCache(cache, at: place, playground.options)
                let network = try playground.sessions.session(0).network(made.network).name
                let row = try #require(
                    rows.first { $0["cache"] == made.configuration.name && $0["network"] == network }, "\(arguments)")
                for column in SummaryColumns.metrics {
                    let expected = row[column.name] ?? ""
                    let found = digits[place][column.name]
                    #expect(found == (expected.isEmpty ? "null" : expected), "\(column.name): \(arguments)")
                }
            }
        }
        #expect(accepted == 20, "of \(tried) states")
    }
}
