import Basics
import SessionModel

/// A rectangle of a screen, as PostHog and Datadog record apps. In a change, only what changed is there.
struct ReplayWireframe {
    /// What a wireframe stands for.
    enum Kind { case image, screenshot, placeholder, webView, other }

    /// Lasts as long as the element is in its view.
    var id: Int64
    /// The element that contains this one; nil if it is unknown.
    var parent: Int64?
    var kind: Kind?
    // Points, from the upper left corner of the screen.
    var x: Double?
    var y: Double?
    var width: Double?
    var height: Double?
    /// The points that are cut off at the top, the bottom, the left and the right.
    var clip: Clip?
    /// The image's hash or resource; nil if the recorder masks it.
    var image: String?
    /// The type of the image, such as `image/jpeg`.
    var contentType: String?
    /// Whether the element shows no image.
    var isEmpty: Bool?

    struct Clip {
        var top = 0.0
        var bottom = 0.0
        var left = 0.0
        var right = 0.0
    }

    /// Changes this wireframe by what another states.
    mutating func update(by change: ReplayWireframe) {
        parent = change.parent ?? parent
        kind = change.kind ?? kind
        x = change.x ?? x
        y = change.y ?? y
        width = change.width ?? width
        height = change.height ?? height
        clip = change.clip ?? clip
        image = change.image ?? image
        contentType = change.contentType ?? contentType
        isEmpty = change.isEmpty ?? isEmpty
    }

    var hasGeometry: Bool { x != nil && y != nil && width != nil && height != nil }

    /// Returns whether a part of it is on a screen, moved by a number of points up or down.
    func isVisible(width screenWidth: Double, height screenHeight: Double) -> Bool {
        guard let x, let y, let width, let height else { return false }
        let clip = clip ?? Clip()
        let (left, right) = (x + clip.left, x + width - clip.right)
        let (top, bottom) = (y + clip.top, y + height - clip.bottom)
        return left < right && top < bottom && right > 0 && left < screenWidth && bottom > 0 && top < screenHeight
    }
}

extension ReplayWireframe {
    /// Reads a wireframe, and adds it and those within it. One without an id is left out.
    static func read(
        _ scanner: inout JSONScanner, parent: Int64?, into list: inout [ReplayWireframe]
    ) throws(JSONError) {
        var read = ReplayWireframe(id: 0, parent: parent)
        var id: Int64?
        var children: JSONScanner?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "id": id = try scanner.elementIfAny()
            case "type": read.kind = try scanner.textIfAny().map(Kind.init)
            case "x": read.x = try scanner.coordinateIfAny()
            case "y": read.y = try scanner.coordinateIfAny()
            case "width": read.width = try scanner.coordinateIfAny()
            case "height": read.height = try scanner.coordinateIfAny()
            case "clip": read.clip = try Clip(&scanner)
            case "resourceId": read.image = try scanner.stringIfAny() ?? read.image
            case "mimeType": read.contentType = try scanner.stringIfAny()
            case "base64":
                if let text = try scanner.textIfAny(), !text.bytes.isEmpty, read.image == nil {
                    read.image = "image/" + String(XXHash64.checksum(text.bytes), radix: 16)
                }
            case "isEmpty": read.isEmpty = try scanner.isAffirmative()
            case "childWireframes":
                children = scanner
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        if let id {
            read.id = id
            list.append(read)
        }
        if var children { try readList(&children, parent: id, into: &list) }
    }

    /// Reads an array of wireframes.
    static func readList(
        _ scanner: inout JSONScanner, parent: Int64?, into list: inout [ReplayWireframe]
    ) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() { try read(&scanner, parent: parent, into: &list) }
    }
}

extension ReplayWireframe.Kind {
    fileprivate init(_ text: RawJSONString) {
        switch text {
        case "image": self = .image
        case "screenshot": self = .screenshot
        case "placeholder": self = .placeholder
        case "webview", "web_view": self = .webView
        default: self = .other
        }
    }
}

extension ReplayWireframe.Clip {
    fileprivate init(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "top": top = try scanner.coordinateIfAny() ?? 0
            case "bottom": bottom = try scanner.coordinateIfAny() ?? 0
            case "left": left = try scanner.coordinateIfAny() ?? 0
            case "right": right = try scanner.coordinateIfAny() ?? 0
            default: try scanner.skipValue()
            }
        }
    }
}

/// The wireframes that a look at the screen found new, gone or changed.
struct ReplayChange {
    var adds: [ReplayWireframe] = []
    var updates: [ReplayWireframe] = []
    var removes: [Int64] = []

    /// Reads an array of wireframes, each by itself (Datadog) or as the member `wireframe` (PostHog, and additions of
    /// Datadog).
    mutating func readWireframes(
        _ scanner: inout JSONScanner, into list: WritableKeyPath<ReplayChange, [ReplayWireframe]>
    ) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() {
            var copy = scanner
            var parent: Int64?
            var hasMember = false
            try scanner.object { key, scanner throws(JSONError) in
                switch key {
                case "parentId": parent = try scanner.elementIfAny()
                case "wireframe":
                    hasMember = true
                    copy = scanner
                    try scanner.skipValue()
                default: try scanner.skipValue()
                }
            }
            try ReplayWireframe.read(&copy, parent: hasMember ? parent : nil, into: &self[keyPath: list])
        }
    }

    mutating func readRemoves(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() {
            var id: Int64?
            try scanner.object { key, scanner throws(JSONError) in
                switch key {
                case "id": id = try scanner.elementIfAny()
                default: try scanner.skipValue()
                }
            }
            if let id { removes.append(id) }
        }
    }
}

extension JSONScanner {
    /// Reads the id of an element: a whole number, or a text, of which the hash is taken.
    fileprivate mutating func elementIfAny() throws(JSONError) -> Int64? {
        switch try peek() {
        case .number: return Int64(exactly: try double())
        case .string: return Int64(bitPattern: XXHash64.checksum(try text().bytes))
        default:
            try skipValue()
            return nil
        }
    }

    /// Reads points. A text such as `100vw` is a share of the screen that covers all of it.
    fileprivate mutating func coordinateIfAny() throws(JSONError) -> Double? {
        switch try peek() {
        case .number:
            let value = try double()
            return abs(value) <= 1e9 ? value : nil
        case .string:
            switch try text() {
            case "100vw", "100vh", "100%": return 1e6
            case let text: return (try? text.decoded()).flatMap(Double.init).flatMap { abs($0) <= 1e9 ? $0 : nil }
            }
        default:
            try skipValue()
            return nil
        }
    }
}
