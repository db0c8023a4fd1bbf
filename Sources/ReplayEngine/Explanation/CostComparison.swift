import CachePolicies
import SessionModel
import Statistics

/// The costs that an app's memory cache charged, beside those that a modelled cache charges for the same images.
public struct CostComparison: Sendable, Equatable {
    /// A recorded cost of an image.
    public struct Cost: Sendable, Equatable {
        public var key: String
        public var variant: Variant
        /// The bytes that the app's cache charged.
        public var recorded: Int
        /// The bytes that the modelled cache charges.
        public var modelled: Int

        /// The recorded cost divided by the modelled one. A cost of 0 counts as 1 byte.
        public var ratio: Double { Double(max(1, recorded)) / Double(max(1, modelled)) }

        /// How many times one cost is the other, from 1.
        fileprivate var distance: Double { max(ratio, 1 / ratio) }
    }

    /// The number of recorded costs.
    public let count: Int
    /// The median of ``Cost/ratio``.
    public let median: Double
    /// The cost whose ratio is farthest from 1, up or down: the first of equal ones.
    public let worst: Cost

    /// Returns nil for a trace without `cost` events.
    init?(_ trace: Trace, _ objects: ReplayObjects) {
        // By number: the image in the size in which it was asked for last.
        var asked: [Int: ImageKey] = [:]
        var costs: [Cost] = []
        for (index, event) in trace.events.enumerated() {
            switch event.action {
            case .appear(let object, let variant), .prefetch(let object, let variant):
                let image = ImageKey(object: Int(object), variant: variant.rawValue)
                asked[image.number] = objects.renditions?.imageKey(object, variant, event: index) ?? image
            case .cost(let object, let variant, let bytes):
                let image = ImageKey(object: Int(object), variant: variant.rawValue)
                let rendition = Int((asked[image.number] ?? image).rendition)
                costs.append(
                    Cost(
                        key: trace.objects[Int(object)].key, variant: variant, recorded: bytes,
                        modelled: objects.cost(rendition)))
            default: break
            }
        }
        guard var worst = costs.first else { return nil }
        for cost in costs where cost.distance > worst.distance { worst = cost }
        self.worst = worst
        count = costs.count
        median = costs.map(\.ratio).median
    }
}
