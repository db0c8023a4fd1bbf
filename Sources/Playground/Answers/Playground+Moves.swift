import Basics
import CacheReports
import ReplayEngine
import ResultColumns
import Runs

extension Playground {
    /// A step from the pinned to the current cache.
    private struct Step: Sendable {
        var label: String
        var cache: PlayCache
        var value: Double?
    }

    /// Answers `moves`: the blank time from the pinned to the current cache, with one change after the other, and with
    /// each change alone.
    func moves(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let (a, b) = (asked.question.a, asked.question.b)
        let changes = PlayChange.changes(from: asked.question.caches[a], to: asked.question.caches[b])
        let steps = try valued(self.steps(changes, asked), asked, session)
        let alone = try valued(self.alone(changes, asked), asked, session)
        let first = steps.first?.value
        return JSONWriter.object { json in
            json.key("steps")
            json.beginArray()
            for (number, step) in steps.enumerated() {
                let isEnd = number == 0 || number == steps.count - 1
                Self.write(step, after: isEnd ? nil : steps[number - 1].value, isEnd: isEnd, to: &json)
            }
            json.endArray()
            json.key("alone")
            json.beginArray()
            for step in alone { Self.write(step, after: first, isEnd: false, to: &json) }
            json.endArray()
        }.text
    }

    /// Returns the pinned cache, the caches with one change more each, and the current cache.
    ///
    /// A change that the cache refuses is made together with the next one.
    private func steps(_ changes: [PlayChange], _ asked: Asked) -> [Step] {
        let (a, b) = (asked.question.a, asked.question.b)
        var steps = [Step(label: Asked.letter(a), cache: asked.caches[a])]
        var cache = asked.question.caches[a]
        var before = asked.caches[a]
        var waiting: [PlayChange] = []
        for change in changes {
            cache = change.applied(to: cache)
            waiting.append(change)
            // The last cache is the one of the question, which is valid.
            let isLast = change == changes.last
            let found: PlayCache? = isLast ? asked.caches[b] : try? asked.cache(cache, at: b)
            guard let made = found else { continue }
            let labels = waiting.map { $0.label(from: before, to: made, registry: options.registry) }
            steps.append(Step(label: labels.joined(separator: ", "), cache: made))
            (before, waiting) = (made, [])
        }
        steps.append(Step(label: Asked.letter(b), cache: asked.caches[b]))
        return steps
    }

    /// Returns the pinned cache with each change alone. Changes that it refuses are left out.
    private func alone(_ changes: [PlayChange], _ asked: Asked) -> [Step] {
        let a = asked.question.a
        return changes.compactMap { change -> Step? in
            let cache = change.applied(to: asked.question.caches[a])
            guard let made = try? asked.cache(cache, at: a) else { return nil }
            let label = change.label(from: asked.caches[a], to: made, registry: options.registry)
            return Step(label: label, cache: made)
        }
    }

    /// Returns steps with their blank times.
    private func valued(_ steps: [Step], _ asked: Asked, _ session: PlaySession) throws -> [Step] {
        try Parallel.map(steps.count) { number -> Step in
            var step = steps[number]
            step.value = try asked.result(step.cache, session, isFull: false).figure("blank_ratio")
            return step
        }
    }

    private static func write(_ step: Step, after before: Double?, isEnd: Bool, to json: inout JSONWriter) {
        json.object { json in
            json.member("label", step.label)
            json.key("value")
            if let value = step.value { json.double(value) } else { json.null() }
            json.member("text", step.value.map(HumanText.share))
            guard !isEnd, let before, let value = step.value else { return }
            json.member("change", PlayRow.difference(value - before, .ratio))
            json.member("relevant", !Tolerance.standard.ties(before, value, .ratio))
        }
    }
}
