import ReplayEngine
import ResultColumns
import Runs

/// A cache with one limit, and its costs: a point of the trade of blank time, memory and bytes.
public struct AdvicePoint: Sendable, Codable, Equatable {
    public let cache: String
    /// The limit of memory in bytes; nil for none.
    public let limit: Int?
    /// The limit of the disk in bytes; nil for the cache's own limit.
    public internal(set) var disk: Int?
    /// The values of rules that are not the cache's own.
    public internal(set) var changes: [SweptValue] = []
    /// The mean over users of the share of visible time that cells were blank.
    public let blankRatio: Double
    /// The 95th percentile over users of the most bytes in memory.
    public let peakBytes: Double
    /// The mean over users of the bytes that a session fetches.
    public let originBytes: Double
    /// The sessions near the limit of the app; nil if the question names none.
    public internal(set) var near: NearLimit?
    /// Whether the point is on the front: each other point is matched by one on it in all three figures, within the
    /// tolerance of the question.
    public internal(set) var isOnFront = false
    /// Whether the point is the knee of blank time over memory.
    public internal(set) var isKnee = false

    enum CodingKeys: String, CodingKey {
        case cache, changes
        case limit = "memory_limit_bytes"
        case disk = "disk_limit_bytes"
        case blankRatio = "blank_ratio"
        case peakBytes = "memory_peak_bytes"
        case originBytes = "origin_bytes"
        case near = "near_app_limit"
        case isOnFront = "front"
        case isKnee = "knee"
    }

    init(cache: String, limit: Int?, blankRatio: Double, peakBytes: Double, originBytes: Double) {
        self.cache = cache
        self.limit = limit
        self.blankRatio = blankRatio
        self.peakBytes = peakBytes
        self.originBytes = originBytes
    }

    private var figures: [(Double, Unit)] { [(blankRatio, .ratio), (peakBytes, .bytes), (originBytes, .bytes)] }

    /// Whether another point is better in no figure by more than a tolerance.
    func matches(_ other: AdvicePoint, within tolerance: Tolerance) -> Bool {
        zip(figures, other.figures).allSatisfy { tolerance.accepts($0.0, for: $1.0, $0.1) }
    }

    /// Returns the places of points, the least memory first.
    private static func order(_ points: [AdvicePoint]) -> [Int] {
        points.indices.sorted { one, other in
            let (a, b) = (points[one], points[other])
            return (a.peakBytes, a.blankRatio, a.originBytes, a.limit ?? .max, a.disk ?? .max, one)
                < (b.peakBytes, b.blankRatio, b.originBytes, b.limit ?? .max, b.disk ?? .max, other)
        }
    }

    /// Returns the points of all candidates that have a figure, with the front and the knee.
    static func points(
        _ table: FleetTable, _ candidates: [Advice.Candidate], _ figures: AdviceFigures, _ question: Advice.Question
    ) -> [AdvicePoint] {
        let points = candidates.compactMap { candidate -> AdvicePoint? in
            let (blank, bytes) = (figures.mean(.blank, candidate), figures.mean(.bytes, candidate))
            let peak = figures.peak(candidate)
            guard blank.isFinite, bytes.isFinite, peak.isFinite else { return nil }
            var point = AdvicePoint(
                cache: candidate.cache, limit: candidate.limit, blankRatio: blank, peakBytes: peak, originBytes: bytes)
            point.disk = candidate.disk
            point.changes = candidate.changes
            point.near = question.app.flatMap { NearLimit(table, cache: candidate.name, $0) }
            return point
        }
        return marked(points, within: question.relevanceThreshold)
    }

    /// Returns the points with the front and the knee.
    ///
    /// The points are taken in order of memory. A point that no earlier one matches is on the front. The front
    /// approximates, within a tolerance, the points that no other point beats (C. Papadimitriou and M. Yannakakis, "On
    /// the approximability of trade-offs", FOCS 2000). A beaten point is never on it: the point that beats it, or one
    /// that matches that point, came before.
    static func marked(_ points: [AdvicePoint], within tolerance: Tolerance = .standard) -> [AdvicePoint] {
        var marked = points
        var front: [AdvicePoint] = []
        for place in order(points) where !front.contains(where: { $0.matches(points[place], within: tolerance) }) {
            front.append(points[place])
            marked[place].isOnFront = true
        }
        if let knee = knee(of: marked, within: tolerance) { marked[knee].isKnee = true }
        return marked
    }

    /// Returns the places of the points of the front that have less blank time than all with less memory, the least
    /// memory first.
    package static func memoryFront(of points: [AdvicePoint]) -> [Int] {
        var least = Double.infinity
        return order(points).filter { place in
            guard points[place].isOnFront, points[place].blankRatio < least else { return false }
            least = points[place].blankRatio
            return true
        }
    }

    /// Returns the place of the knee: the point of the front of memory and blank time that is farthest below the line
    /// between the ends of the front, after both axes are scaled to 0…1.
    ///
    /// This is the definition of Kneedle (V. Satopää, J. Albrecht, D. Irwin and B. Raghavan, "Finding a 'Kneedle' in a
    /// Haystack", ICDCS Workshops 2011) for the points as they are, without its smoothing and without its sensitivity.
    /// - Returns: nil if the front has fewer than three points, or none that has less blank time than the line by more
    ///   than the tolerance, as on a flat curve.
    static func knee(of points: [AdvicePoint], within tolerance: Tolerance) -> Int? {
        let front = memoryFront(of: points)
        guard front.count >= 3, let first = front.first, let last = front.last else { return nil }
        let (start, end) = (points[first], points[last])
        let span = start.blankRatio - end.blankRatio
        let least = tolerance.difference(from: start.blankRatio, .ratio) / span * (1 + 1e-9)
        var knee: (place: Int, depth: Double)?
        for place in front {
            let x = (points[place].peakBytes - start.peakBytes) / (end.peakBytes - start.peakBytes)
            let y = (points[place].blankRatio - end.blankRatio) / span
            // The line between the ends is x + y = 1.
            let depth = 1 - x - y
            if depth > max(knee?.depth ?? 0, least) { knee = (place, depth) }
        }
        return knee?.place
    }
}
