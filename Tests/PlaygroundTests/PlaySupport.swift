import Basics
import CacheTraces
import Foundation
import MeasuredTiers
import ReplayEngine
import Runs
import SessionModel
import Testing

@testable import Playground

/// What tests of the playground share.
enum PlaySupport {
    /// The root of the package, in which commands are typed.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A bundled session.
    static let feed = "Traces/stress-feed.jsonl"

    static func bundled(_ path: String = feed) throws -> Trace {
        try TraceReading(contentsOf: root.appendingPathComponent(path).path).trace
    }

    /// Returns a session in which a list of images is scrolled several times. Each image has 100 kB and 1 MB of pixels,
    /// and is fetched in 120 ms.
    ///
    /// - Parameters:
    ///   - images: The number of images.
    ///   - passes: How often the list is scrolled from its begin to its end.
    static func list(images: Int, passes: Int) -> Trace {
        var builder = TraceBuilder()
        var time: Int64 = 0
        for pass in 0..<passes {
            for image in 0..<images {
                let id = builder.object("https://example.com/\(image).jpg")
                builder.update(id) { object in
                    object.bytes = 100_000
                    object.pixelWidth = 500
                    object.pixelHeight = 500
                }
                builder.append(TraceEvent(time: time, .appear(id, .full)))
                if pass == 0 {
                    let fetch = Fetch(status: 200, bytes: 100_000, timeToFirstByte: 80_000, transferTime: 40_000)
                    builder.append(TraceEvent(time: time, .fetch(id, fetch)))
                }
                builder.append(TraceEvent(time: time + 1_000_000, .disappear(id, .full)))
                time += 400_000
            }
        }
        return builder.finish()
    }

    /// Returns a session of the page.
    static func session(_ name: String, _ trace: Trace) -> PlayOptions.Session {
        PlayOptions.Session(path: "Traces/\(name).jsonl", name: name) { trace }
    }

    /// Returns a playground with one session of two passes over 40 images.
    static func playground(
        _ trace: Trace = list(images: 40, passes: 2), change: (inout PlayOptions) -> Void = { _ in }
    ) throws -> Playground {
        var options = PlayOptions(version: "test", sessions: [session("list", trace)])
        options.parts = .real
        change(&options)
        return try Playground(options)
    }

    /// Returns a question of two caches.
    static func question(
        _ session: String = "list", a: PlayQuestion.Cache = cache("lru(20MB)"), b: PlayQuestion.Cache
    ) -> PlayQuestion {
        PlayQuestion(session: session, caches: [a, b], seed: 1)
    }

    static func cache(_ base: String, _ rules: [String: String] = [:], network: String = "lte") -> PlayQuestion.Cache {
        PlayQuestion.Cache(base: base, rules: rules, network: network)
    }

    /// Returns the body of a question.
    static func body(_ question: PlayQuestion) -> [UInt8] {
        var json = JSONWriter()
        question.write(to: &json)
        return json.bytes
    }

    /// Returns an answer as a value.
    static func ask(_ playground: Playground, _ request: PlayRequest, _ question: PlayQuestion) throws -> PlayJSON {
        try value(try playground.answer(request, body(question), isOvertaken: { false }))
    }

    static func value(_ text: String) throws -> PlayJSON {
        try JSONDecoder().decode(PlayJSON.self, from: Data(text.utf8))
    }
}

extension PlayJSON {
    /// A member of an object; null for another value.
    subscript(member: String) -> PlayJSON {
        if case .object(let members) = self { members[member] ?? .null } else { .null }
    }

    /// An element of a list; null for another value.
    subscript(place: Int) -> PlayJSON {
        if case .array(let values) = self, values.indices.contains(place) { values[place] } else { .null }
    }

    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var list: [PlayJSON] { if case .array(let values) = self { values } else { [] } }
}
