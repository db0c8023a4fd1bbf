import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Runs

/// The curves of LRU.
extension SimulationRunner {
    /// The number of points of a curve in `curve.csv`.
    private static let curvePoints = 200

    /// Computes the curves of a trace, and keeps them.
    func drawCurves(_ work: SimulationWork) throws {
        var all: [CurvePoint] = []
        var shown: [CurvePoint] = []
        for unit in work.curveUnits {
            let capacities = work.capacities.filter { $0.unit == unit }.map(\.value)
            let whole = unit == .bytes ? work.whole.uniqueBytes : work.whole.objects
            let ladder = Self.ladder(
                to: whole, unit == .bytes ? work.whole.uniqueBytes / max(1, work.whole.objects) : 1)
            let even = work.checksSample ? (1...100).map { Int(Double($0) / 100 * Double(whole)) } : []
            let asked =
                capacities.isEmpty ? CapacityList.shares.map { Int($0 * Double(whole)) }.filter { $0 > 0 } : capacities
            let (curves, seconds) = try timed { try Self.curves(work, unit, ladder + asked + even) }
            func point(_ capacity: Int) -> CurvePoint {
                let points = curves.map { curve in
                    CurvePoint(
                        trace: work.name, capacity: Capacity(capacity, unit), missRatio: curve.missRatio(at: capacity),
                        byteMissRatio: curve.byteMissRatio(at: capacity), sampleRate: work.rate.map { _ in curve.rate },
                        isExact: work.samples.isEmpty && capacity >= curve.exactFrom)
                }
                return points.count > 1 ? CurvePoint(meanOf: points) : points[0]
            }
            all += Set(ladder + asked).sorted().map(point)
            shown += asked.map(point)
            guard work.checksSample else { continue }
            let (exact, exactSeconds) = timed { LRUCurve(work.trace, unit: unit, exactAt: asked + even) }
            func error(_ name: String, _ capacities: [Int]) -> SampleError {
                SampleError(
                    trace: work.name, policy: name, sampleRate: work.rate ?? 1,
                    pairs: capacities.map { capacity in
                        let estimate = point(capacity)
                        return (
                            (exact.missRatio(at: capacity), exact.byteMissRatio(at: capacity)),
                            (estimate.missRatio, estimate.byteMissRatio)
                        )
                    }, exactSeconds: exactSeconds, sampleSeconds: seconds)
            }
            try keep([error("lru curve, capacities above", asked), error("lru curve, 1% to 100%", even)])
        }
        try folder?.add(all)
        state.withLock { $0.curves += shown }
    }

    /// Returns the curve of each sample, or that of all objects.
    static func curves(
        _ work: SimulationWork, _ unit: CapacityUnit, _ capacities: [Int]
    ) throws -> [LRUCurve] {
        if let readCurve = work.readCurve { return [try readCurve(unit, capacities)] }
        guard !work.samples.isEmpty else { return [LRUCurve(work.trace, unit: unit, exactAt: capacities)] }
        guard work.drawn.isEmpty else {
            let whole = (requests: work.whole.requests, bytes: work.whole.requestBytes)
            return work.drawn.map { LRUCurve($0, of: whole, unit: unit, exactAt: capacities) }
        }
        return work.samples.map { LRUCurve(work.trace, unit: unit, sample: $0, exactAt: capacities) }
    }

    /// Returns capacities evenly spaced on a logarithmic scale, from an object of mean size or a ten thousandth of the
    /// trace, whichever is more, to the whole trace.
    private static func ladder(to whole: Int, _ mean: Int) -> [Int] {
        let low = Double(max(1, mean, whole / 10_000))
        guard Double(whole) > low else { return [max(1, whole)] }
        let step = log(Double(whole) / low) / Double(curvePoints - 1)
        return Set((0..<curvePoints).map { $0 == curvePoints - 1 ? whole : Int(low * exp(Double($0) * step)) }).sorted()
    }
}
