import SessionModel

/// An event of a session replay, reduced to what a trace needs.
struct ReplayEvent {
    /// Milliseconds since 1970.
    var time = 0.0
    /// The view of Datadog that the event belongs to; empty if there is none.
    var view = ""
    var content = Content.invalid

    enum Content {
        /// No event, or one without a valid time.
        case invalid
        /// The data are a text that the recorder packed.
        case packed
        /// The size of the screen, in points.
        case screen(width: Double, height: Double)
        /// A whole screen.
        case snapshot([ReplayWireframe])
        case change(ReplayChange)
        /// A page with elements, of which only a browser knows the places.
        case page
        /// A finger touches the screen (true), leaves it (false), or moves (nil).
        case touch(isDown: Bool?)
        /// A list of a page moved.
        case scroll(list: Int64, offset: Double)
        case appearance(ReplayAppearance)
        /// A custom event with the name of ``ReplayAppearance`` and another content.
        case invalidAppearance
        case requests([ReplayRequest])
        /// An event of a known type without images.
        case other
        case unknown
    }

    /// The latest time that is read, in milliseconds.
    private static let latest = Double(TraceLimits.time) / 1000

    init(_ scanner: inout JSONScanner) throws(JSONError) {
        var type: Int?
        var time: Double?
        var data: JSONScanner?
        var content: Content?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "type": type = try scanner.amountIfAny().flatMap { $0 < 1000 ? Int(exactly: $0) : nil }
            case "timestamp": time = try scanner.amountIfAny()
            case "data":
                if try scanner.peek() == .string {
                    content = .packed
                    try scanner.skipValue()
                } else if let type {
                    content = try Content(type, &scanner)
                } else {
                    data = scanner
                    try scanner.skipValue()
                }
            default: try scanner.skipValue()
            }
        }
        guard let type, let time, time <= Self.latest else { return }
        self.time = time
        if let content {
            self.content = content
        } else if var data {
            self.content = try Content(type, &data)
        } else {
            self.content = Content.known.contains(type) ? .other : .unknown
        }
    }
}

extension ReplayEvent.Content {
    /// The types of rrweb (0 to 6), and those of Datadog.
    fileprivate static let known = 0...11

    /// Reads the data of an event of a type.
    init(_ type: Int, _ scanner: inout JSONScanner) throws(JSONError) {
        switch type {
        case 4: self = try Self.screen(&scanner)
        case 2, 10: self = try Self.snapshot(&scanner)
        case 3, 11: self = try Self.incremental(&scanner)
        case 5: self = try Self.custom(&scanner)
        case 6: self = try Self.plugin(&scanner)
        default:
            try scanner.skipValue()
            self = Self.known.contains(type) ? .other : .unknown
        }
    }

    private static func screen(_ scanner: inout JSONScanner) throws(JSONError) -> Self {
        var width: Double?
        var height: Double?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "width": width = try scanner.amountIfAny()
            case "height": height = try scanner.amountIfAny()
            default: try scanner.skipValue()
            }
        }
        return screen(width, height)
    }

    /// The size of a screen; another event if a screen cannot have it.
    private static func screen(_ width: Double?, _ height: Double?) -> Self {
        guard let width, let height, width > 0, height > 0, width <= 100_000, height <= 100_000 else { return .other }
        return .screen(width: width, height: height)
    }

    private static func snapshot(_ scanner: inout JSONScanner) throws(JSONError) -> Self {
        var wireframes: [ReplayWireframe]?
        var isPage = false
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "wireframes":
                var list: [ReplayWireframe] = []
                try ReplayWireframe.readList(&scanner, parent: nil, into: &list)
                wireframes = list
            case "node":
                isPage = true
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        if let wireframes { return .snapshot(wireframes) }
        return isPage ? .page : .other
    }

    private static func incremental(_ scanner: inout JSONScanner) throws(JSONError) -> Self {
        var source: Int?
        var kind: Int?
        var pointer: String?
        var size: (width: Double?, height: Double?) = (nil, nil)
        var list: (id: Double?, offset: Double?) = (nil, nil)
        var change = ReplayChange()
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "source": source = try scanner.amountIfAny().flatMap { $0 < 1000 ? Int(exactly: $0) : nil }
            case "type": kind = try scanner.amountIfAny().flatMap { $0 < 1000 ? Int(exactly: $0) : nil }
            case "pointerEventType": pointer = try scanner.stringIfAny()
            case "width": size.width = try scanner.amountIfAny()
            case "height": size.height = try scanner.amountIfAny()
            case "id": list.id = try scanner.amountIfAny()
            case "y": list.offset = try scanner.amountIfAny()
            case "adds": try change.readWireframes(&scanner, into: \.adds)
            case "updates": try change.readWireframes(&scanner, into: \.updates)
            case "removes": try change.readRemoves(&scanner)
            default: try scanner.skipValue()
            }
        }
        switch source {
        case 0: return .change(change)
        case 2 where kind == 7: return .touch(isDown: true)
        case 2 where kind == 9 || kind == 10: return .touch(isDown: false)
        case 3:
            guard let id = list.id.flatMap({ Int64(exactly: $0) }), let offset = list.offset, offset < 1e9 else {
                return .other
            }
            return .scroll(list: id, offset: offset)
        case 4: return screen(size.width, size.height)
        case 6: return .touch(isDown: nil)
        case 9 where pointer != nil: return .touch(isDown: pointer == "down" ? true : pointer == "up" ? false : nil)
        case nil: return .unknown
        default: return .other
        }
    }

    private static func custom(_ scanner: inout JSONScanner) throws(JSONError) -> Self {
        var tag: String?
        var payload: JSONScanner?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "tag": tag = try scanner.stringIfAny()
            case "payload":
                payload = scanner
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        guard var payload else { return .other }
        switch tag {
        case ReplayAppearance.tag: return try ReplayAppearance.content(&payload)
        case "breadcrumb": return try ReplayAppearance.breadcrumb(&payload)
        case "performanceSpan": return try ReplayRequest.span(&payload).map { .requests([$0]) } ?? .other
        default: return .other
        }
    }

    private static func plugin(_ scanner: inout JSONScanner) throws(JSONError) -> Self {
        var isNetwork = false
        var payload: JSONScanner?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "plugin": isNetwork = try scanner.stringIfAny()?.hasPrefix("rrweb/network") ?? false
            case "payload":
                payload = scanner
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        guard isNetwork, var payload else { return .other }
        return .requests(try ReplayRequest.list(&payload))
    }
}
