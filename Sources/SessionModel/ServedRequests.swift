/// Where the app had the image of each request from, as its `served` events state.
///
/// A `served` event belongs to the oldest request of its object and variant that was not served yet and whose cell is
/// visible. If there is none, it belongs to the oldest one whose cell has left the screen: some recorders learn of a
/// source late. Otherwise the event is unmatched.
public struct ServedRequests: Sendable, Equatable {
    /// The source of each request, in order of the `appear` events; nil for a request without a `served` event.
    public private(set) var sources: [ServedSource?] = []
    /// The number of `served` events that belong to no request.
    public private(set) var unmatched = 0

    /// Matches the `served` events of a trace with its requests, in time proportional to the number of events.
    public init(_ trace: Trace) {
        var cells = [Cells](repeating: Cells(), count: trace.objects.count * Variant.allCases.count)
        func place(_ object: ObjectID, _ variant: Variant) -> Int {
            Int(object) * Variant.allCases.count + Int(variant.rawValue)
        }
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant):
                cells[place(object, variant)].visible.append(sources.count)
                sources.append(nil)
            case .disappear(let object, let variant): cells[place(object, variant)].removeOldest()
            case .served(let object, let variant, let source):
                if let request = cells[place(object, variant)].takeOpen() {
                    sources[request] = source
                } else {
                    unmatched += 1
                }
            case .prefetch, .scroll, .fetch, .memoryWarning, .background, .foreground, .terminate, .remove, .list,
                .cost:
                break
            }
        }
    }

    public var count: Int { sources.count { $0 != nil } }

    /// The requests of one object in one variant.
    private struct Cells {
        /// Every request. Those before `firstVisible` have left the screen, and those before `firstOpen` were served
        /// or have left: the oldest open request is served first, so no open one stands before them.
        var visible: [Int] = []
        private var firstVisible = 0
        private var firstOpen = 0
        /// Requests that left the screen before they were served.
        private var departed: [Int] = []
        private var firstDeparted = 0

        mutating func removeOldest() {
            guard firstVisible < visible.count else { return }
            if firstOpen == firstVisible {
                departed.append(visible[firstVisible])
                firstOpen += 1
            }
            firstVisible += 1
        }

        mutating func takeOpen() -> Int? {
            if firstOpen < visible.count {
                firstOpen += 1
                return visible[firstOpen - 1]
            }
            guard firstDeparted < departed.count else { return nil }
            firstDeparted += 1
            return departed[firstDeparted - 1]
        }
    }
}
