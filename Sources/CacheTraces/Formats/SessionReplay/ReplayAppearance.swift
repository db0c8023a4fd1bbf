import SessionModel

/// An appearance or a disappearance that the app itself wrote into the recording, as a custom event with the tag
/// `cachereplay`. <doc:SessionReplays> specifies its payload.
struct ReplayAppearance {
    static let tag = "cachereplay"
    /// The version of the payload.
    static let version = 1

    var appears: Bool
    var key: String
    var variant: Variant
    /// Milliseconds since 1970; nil for the time of the event.
    var time: Double?
    var bytes: Int?
    var contentType: String?
    var pixelWidth: Int?
    var pixelHeight: Int?
    /// The size of the view that shows the image, in pixels of the screen.
    var viewSize: ViewSize?

    /// Reads a payload.
    static func content(_ scanner: inout JSONScanner) throws(JSONError) -> ReplayEvent.Content {
        var read = ReplayAppearance(appears: true, key: "", variant: .full)
        var version: Double?
        var event: String?
        var variant: String?
        var (viewWidth, viewHeight): (Int?, Int?)
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "v": version = try scanner.amountIfAny()
            case "e": event = try scanner.stringIfAny()
            case "key": read.key = try scanner.stringIfAny() ?? ""
            case "variant": variant = try scanner.stringIfAny()
            case "t": read.time = try scanner.amountIfAny()
            case "bytes": read.bytes = try scanner.sizeIfAny()
            case "type": read.contentType = try scanner.stringIfAny()
            case "width": read.pixelWidth = try scanner.pixelsIfAny()
            case "height": read.pixelHeight = try scanner.pixelsIfAny()
            case "viewWidth": viewWidth = try scanner.pixelsIfAny()
            case "viewHeight": viewHeight = try scanner.pixelsIfAny()
            default: try scanner.skipValue()
            }
        }
        guard version == Double(Self.version), event == "appear" || event == "disappear", !read.key.isEmpty,
            variant == nil || variant == Variant.full.description || variant == Variant.thumbnail.description
        else { return .invalidAppearance }
        read.appears = event == "appear"
        if let viewWidth, let viewHeight { read.viewSize = ViewSize(width: viewWidth, height: viewHeight) }
        read.variant = variant == Variant.thumbnail.description ? .thumbnail : .full
        return .appearance(read)
    }

    /// Reads a breadcrumb of Sentry, which has the payload as `data` if its category is the tag.
    static func breadcrumb(_ scanner: inout JSONScanner) throws(JSONError) -> ReplayEvent.Content {
        var category: String?
        var data: JSONScanner?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "category": category = try scanner.stringIfAny()
            case "data":
                data = scanner
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        guard category == tag, var data else { return .other }
        return try content(&data)
    }

    /// Adds the facts to those of an object.
    func update(_ object: inout TraceObject) {
        object.bytes = object.bytes ?? bytes
        object.contentType = object.contentType ?? contentType
        if object.pixelWidth == nil, let pixelWidth, let pixelHeight {
            object.pixelWidth = pixelWidth
            object.pixelHeight = pixelHeight
        }
    }
}

extension JSONScanner {
    /// Reads a side of an image in pixels.
    fileprivate mutating func pixelsIfAny() throws(JSONError) -> Int? {
        try amountIfAny().flatMap { $0 >= 1 && $0 <= Double(TraceLimits.pixels) ? Int($0.rounded()) : nil }
    }
}
