extension TraceEvent.Action {
    /// Every ``name``, by ``kind``.
    package static let names = [
        "appear", "disappear", "prefetch", "scroll", "fetch", "memory_warning", "background", "foreground", "terminate",
    ]

    /// A number from 0 for the kind of event.
    package var kind: Int {
        switch self {
        case .appear: 0
        case .disappear: 1
        case .prefetch: 2
        case .scroll: 3
        case .fetch: 4
        case .memoryWarning: 5
        case .background: 6
        case .foreground: 7
        case .terminate: 8
        }
    }

    /// The name of the kind of event, as files and tables have it.
    public var name: String { Self.names[kind] }

    /// The object that the event names; nil for those that concern the whole app.
    public var object: ObjectID? {
        switch self {
        case .appear(let object, _), .disappear(let object, _), .prefetch(let object, _), .fetch(let object, _): object
        case .scroll, .memoryWarning, .background, .foreground, .terminate: nil
        }
    }
}

extension Variant: CustomStringConvertible {
    public var description: String { self == .thumbnail ? "thumbnail" : "full" }
}
