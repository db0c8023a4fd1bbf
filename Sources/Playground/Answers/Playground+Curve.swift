import Basics
import CachePolicies
import Foundation
import ReplayEngine
import Runs

extension Playground {
    static let curveLimits = 64

    private struct Curve: Sendable {
        let cache: Int
        /// By limit: the share of blank time; nil where there is none.
        var values: [Double?] = []
        /// Why there is no curve; nil if there is one.
        var problem: String?
    }

    /// Answers `curve`: the blank time with each of 64 limits of memory, of the current cache, and of the pinned one if
    /// it is another one.
    func curve(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let limits = Self.limits(session)
        let places = [asked.question.a, asked.question.b].unique()
        var curves = places.map { Curve(cache: $0) }
        var jobs: [(curve: Int, cache: PlayCache)] = []
        for (number, place) in places.enumerated() {
            do {
                for limit in limits {
                    var cache = asked.question.caches[place]
                    cache.rules["memory"] = Size.bytes(limit).description
                    jobs.append((number, try asked.cache(cache, at: place)))
                }
            } catch let failure as PlayFailure {
                jobs.removeAll { $0.curve == number }
                curves[number].problem = failure.description
            }
        }
        let work = jobs
        let values = try Parallel.map(work.count) { number -> Double? in
            try asked.result(work[number].cache, session, isFull: false).figure("blank_ratio")
        }
        for (job, value) in zip(work, values) { curves[job.curve].values.append(value) }
        return JSONWriter.object { json in
            json.array("limits", limits) { $0.integer($1) }
            json.array("curves", curves) { json, curve in Self.write(curve, to: &json) }
            json.array("marks", PlayMark.marks(of: session)) { json, mark in
                json.object { json in
                    json.member("bytes", mark.bytes)
                    json.member("label", mark.label)
                }
            }
            json.array("enough", curves) { json, curve in
                if let place = Self.enough(curve.values) { json.integer(limits[place]) } else { json.null() }
            }
        }.text
    }

    private static func write(_ curve: Curve, to json: inout JSONWriter) {
        json.object { json in
            json.member("cache", curve.cache)
            json.array("values", curve.values) { json, value in
                if let value { json.double(value) } else { json.null() }
            }
            json.member("texts", curve.values.map { value in value.map(HumanText.share) ?? "–" })
            json.member("problem", curve.problem)
        }
    }

    /// Returns up to 64 limits from the largest image, or 1 MB, to the working set, on a logarithmic scale. They are
    /// round: three digits, or as many as make them differ.
    static func limits(_ session: PlaySession) -> [Int] {
        limits(largestImage: session.largestImage, workingSet: session.workingSet)
    }

    static func limits(largestImage: Int, workingSet: Int) -> [Int] {
        let least = max(1_000_000, largestImage)
        // A session that needs less is drawn up to twice the least limit.
        let most = max(workingSet, 2 * least)
        let step = log(Double(most) / Double(least)) / Double(curveLimits - 1)
        let exact = (0..<curveLimits).map { Double(least) * exp(step * Double($0)) }
        for digits in 3...6 {
            let rounded = exact.map { round($0, digits: digits) }
            if Set(rounded).count == curveLimits { return rounded }
        }
        return exact.map { Int($0.rounded()) }.unique()
    }

    /// Returns a size with a number of significant digits, rounded up, so that the largest image fits.
    private static func round(_ size: Double, digits: Int) -> Int {
        var unit = 1.0
        while size / unit >= pow(10, Double(digits)) { unit *= 10 }
        // The last digits of an exponential do not count.
        return Int((size / unit - 1e-6).rounded(.up) * unit)
    }

    /// Returns the place of the smallest limit from which on the blank time exceeds the blank time of the largest one
    /// by no more than the tolerance; nil without figures.
    static func enough(_ values: [Double?]) -> Int? {
        guard let last = values.last, let best = last else { return nil }
        var place = values.count - 1
        while place > 0, let value = values[place - 1], Tolerance.standard.accepts(value, for: best, .ratio) {
            place -= 1
        }
        return place
    }
}
