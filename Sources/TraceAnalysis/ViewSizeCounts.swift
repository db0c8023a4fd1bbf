import SessionModel

/// The sizes of views that a trace records.
public struct ViewSizeCounts: Sendable, Equatable {
    /// The number of `appear` events with a size.
    public var appearances = 0
    /// The number of `prefetch` events with a size.
    public var prefetches = 0
    /// The number of objects that appear in views of more than one size. A key in one variant is one object.
    public var objectsInSeveralSizes = 0

    /// Counts a session. Returns nil for one without any size.
    init?(_ trace: Trace) {
        guard trace.events.contains(where: { $0.viewSize != nil }) else { return nil }
        // By object and variant.
        let places = trace.objects.count * Variant.allCases.count
        var first = [ViewSize?](repeating: nil, count: places)
        var hasSeveral = [Bool](repeating: false, count: places)
        for event in trace.events {
            guard let size = event.viewSize else { continue }
            switch event.action {
            case .appear(let object, let variant):
                appearances += 1
                let place = Int(object) * Variant.allCases.count + Int(variant.rawValue)
                guard first.indices.contains(place) else { continue }
                if let known = first[place], known != size { hasSeveral[place] = true }
                first[place] = first[place] ?? size
            case .prefetch: prefetches += 1
            default: break
            }
        }
        objectsInSeveralSizes = hasSeveral.count { $0 }
    }
}
