import Basics
import CacheReports
import ReplayEngine
import ResultColumns
import Runs
import Statistics

extension Playground {
    /// A person's blank time with each cache.
    private struct Person: Sendable {
        var name: String
        /// By cache; empty for a session that cannot be replayed.
        var values: [Double?] = []
        var problem: String?
    }

    /// The quantiles of the summary, as shares of people.
    private static let shares = [0.05, 0.25, 0.5, 0.75, 0.95]

    /// Answers `people`: the blank times of some people of a population, and their summary with the last of them.
    ///
    /// The page asks for the people in parts. Results are kept while there is room, so that the summary does not replay
    /// them again.
    func people(_ asked: Asked) throws -> String {
        let count = asked.places.count
        let first = min(asked.question.first, count)
        let end = min(count, first + min(asked.question.count ?? count, count))
        let isLast = end == count
        let wanted = isLast ? 0..<count : first..<end
        let places = Array(asked.places[wanted])
        let people = try Parallel.map(places.count) { number in try self.person(places[number], asked) }
        let shown = people.dropFirst(first - wanted.lowerBound)
        return JSONWriter.object { json in
            json.member("of", count)
            json.member("first", first)
            json.array("people", shown) { json, person in Self.write(person, to: &json) }
            if isLast { json.object("summary") { json in self.summary(people, asked, to: &json) } }
        }.text
    }

    private func person(_ place: Int, _ asked: Asked) throws -> Person {
        var person = Person(name: options.sessions[place].name)
        do {
            let session = try sessions.session(place)
            person.values = try asked.caches.map { cache -> Double? in
                try asked.result(cache, session, isFull: false).figure("blank_ratio")
            }
        } catch let failure as PlayFailure where failure.kind != .overtaken {
            person.problem = failure.description
        }
        return person
    }

    private static func write(_ person: Person, to json: inout JSONWriter) {
        json.object { json in
            json.member("name", person.name)
            json.array("values", person.values) { json, value in
                if let value { json.double(value) } else { json.null() }
            }
            if let problem = person.problem { json.member("problem", problem) }
        }
    }

    private func summary(_ people: [Person], _ asked: Asked, to json: inout JSONWriter) {
        let (a, b) = (asked.question.a, asked.question.b)
        // Those with a figure for each cache.
        let rows = people.map { $0.values.compactMap(\.self) }.filter { $0.count == asked.caches.count }
        let tolerance = Tolerance.standard
        let ties = rows.count { tolerance.ties($0[a], $0[b], .ratio) }
        let better = rows.count { !tolerance.ties($0[a], $0[b], .ratio) && $0[b] < $0[a] }
        let worse = rows.count - ties - better
        let columns = asked.caches.indices.map { place in rows.map { $0[place] } }
        let means: [Double?] = columns.map { $0.isEmpty ? nil : $0.reduce(0, +) / Double($0.count) }
        json.member("headline", Self.headline(means[a], means[b], better: better, worse: worse, of: rows.count))
        json.member("better", better)
        json.member("worse", worse)
        json.member("same", ties)
        json.member("missing", people.count - rows.count)
        json.array("means", means) { json, mean in
            if let mean { json.double(mean) } else { json.null() }
        }
        json.array("quantiles", Self.shares) { json, share in
            json.object { json in
                json.key("share")
                json.double(share)
                json.array("values", columns) { json, column in
                    let sorted = column.sorted()
                    if sorted.isEmpty { json.null() } else { json.double(SampleQuantile.value(share, of: sorted)) }
                }
            }
        }
    }

    /// Returns how the means differ, and for how many people.
    static func headline(_ before: Double?, _ after: Double?, better: Int, worse: Int, of count: Int) -> String {
        guard let before, let after, count > 0 else {
            return "No session of this population has a blank time; choose another one."
        }
        let (one, other) = HumanText.shares(before, after)
        let people = HumanText.count(Double(count))
        guard better + worse > 0 else {
            return "For all \(people) people, blank time stays within the tolerance; the mean is \(other)."
        }
        let verb =
            Tolerance.standard.ties(before, after, .ratio) ? "stays near" : after < before ? "falls from" : "rises from"
        let means = verb == "stays near" ? other : "\(one) to \(other)"
        return """
            Mean blank time \(verb) \(means): better for \(HumanText.count(Double(better))) of \(people) people, worse \
            for \(HumanText.count(Double(worse))).
            """
    }
}
