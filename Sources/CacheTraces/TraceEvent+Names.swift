extension TraceEvent.Action {
    /// Every ``name``.
    static let names = [
        "appear", "disappear", "prefetch", "scroll", "fetch", "memory_warning", "background", "foreground", "terminate",
    ]

    /// The name of the kind of event, as files and tables have it.
    public var name: String {
        switch self {
        case .appear: "appear"
        case .disappear: "disappear"
        case .prefetch: "prefetch"
        case .scroll: "scroll"
        case .fetch: "fetch"
        case .memoryWarning: "memory_warning"
        case .background: "background"
        case .foreground: "foreground"
        case .terminate: "terminate"
        }
    }

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
