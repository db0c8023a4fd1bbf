import SessionModel

/// A report that the page sends to `/events`:
///
///     {"client":"k3…","batches":[{"visit":"x9…","sequence":4,"clock_error_us":310,"events":[
///       {"t":1200000,"e":"appear","n":12,"variant":"thumbnail","width":352,"height":352},
///       {"t":1250000,"e":"scroll","phase":"dragged","offset":120.5,"velocity":900},
///       {"t":1300000,"e":"served","n":12,"variant":"thumbnail","from":"network"},
///       {"t":1000000,"e":"list","variant":"thumbnail","images":[0,1,2],"first":0,"columns":3},
///       {"t":9000000,"e":"background"}]}]}
///
/// `t` is the time in microseconds on the server's clock, as far as the page knows it; `n` is the image's number.
/// `width` and `height` of an appearance are the size of its view in pixels of the screen; both can be missing.
/// Batches are numbered within a visit, from 1; repeated batches are dropped. Every deviation is an error, because only
/// the gallery's own page sends events.
struct EventReport: Equatable {
    var client = ""
    var batches: [EventBatch] = []
}

struct EventBatch: Equatable {
    var visit = ""
    var sequence = 0
    /// Half the round trip of setting the page's clock; nil if it is not set yet.
    var clockError: Int64?
    var events: [PageEvent] = []
}

/// An event of the page, with the image's number.
struct PageEvent: Equatable {
    enum Action: Equatable {
        case appear(image: Int, Variant)
        case disappear(image: Int, Variant)
        case served(image: Int, Variant, ServedSource)
        /// A list shows these images from position `first` on.
        case list([Int], Variant, first: Int, columns: Int)
        case scroll(ScrollPhase, offset: Double, velocity: Double)
        case memoryWarning
        case background
        case foreground
        case terminate
    }

    var time: Int64
    var action: Action
    /// Of an appearance; nil if the page does not know it.
    var viewSize: ViewSize?
}

/// The reason why a report is invalid.
struct EventReportError: Error {
    var message: String
}

extension EventReport {
    static let batchLimit = 200
    static let eventLimit = 20_000
    static let listLimit = 200_000
    /// Positions of a list are below this number.
    static let positionLimit = 1 << 30

    /// Parses a report. `images` is the number of images; no event can be later than `latest`.
    ///
    /// - Throws: ``EventReportError`` or `JSONError`.
    init(_ bytes: [UInt8], images: Int, latest: Int64) throws {
        self = try bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            var reader = EventReportReader(images: images, latest: latest)
            let report = try reader.report(&scanner)
            try scanner.endOfInput()
            return report
        }
    }
}

private struct EventReportReader {
    let images: Int
    let latest: Int64
    private var count = 0

    init(images: Int, latest: Int64) {
        self.images = images
        self.latest = latest
    }

    mutating func report(_ scanner: inout JSONScanner) throws -> EventReport {
        var report = EventReport()
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "client": report.client = try name(scanner.string())
            case "batches":
                try scanner.beginArray()
                while try scanner.nextElement() {
                    report.batches.append(try batch(&scanner))
                    guard report.batches.count <= EventReport.batchLimit else {
                        throw EventReportError(message: "too many batches")
                    }
                }
            default: throw EventReportError(message: "unknown field")
            }
        }
        guard !report.client.isEmpty else { throw EventReportError(message: "no client") }
        return report
    }

    private mutating func batch(_ scanner: inout JSONScanner) throws -> EventBatch {
        var batch = EventBatch()
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "visit": batch.visit = try name(scanner.string())
            case "sequence": batch.sequence = try number(scanner.integer(), below: 1 << 31)
            case "clock_error_us":
                if try !scanner.null() { batch.clockError = Int64(try number(scanner.integer(), below: 1 << 40)) }
            case "events":
                try scanner.beginArray()
                while try scanner.nextElement() {
                    batch.events.append(try event(&scanner))
                    count += 1
                    guard count <= EventReport.eventLimit else { throw EventReportError(message: "too many events") }
                }
            default: throw EventReportError(message: "unknown field")
            }
        }
        guard !batch.visit.isEmpty, batch.sequence > 0 else {
            throw EventReportError(message: "a batch without visit or sequence")
        }
        return batch
    }

    private func event(_ scanner: inout JSONScanner) throws -> PageEvent {
        var time: Int64?
        var kind = ""
        var image: Int?
        var variant = Variant.full
        var phase = ScrollPhase.atRest
        var offset = 0.0
        var velocity = 0.0
        var list: [Int]?
        var (first, columns) = (0, 1)
        var source: ServedSource?
        var (width, height): (Int?, Int?)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "t": time = try scanner.integer()
            case "e": kind = try scanner.string()
            case "n": image = try number(scanner.integer(), below: images)
            case "variant": variant = try scanner.string() == "thumbnail" ? .thumbnail : .full
            case "phase":
                guard let known = ScrollPhase(rawValue: try scanner.string()) else {
                    throw EventReportError(message: "unknown phase")
                }
                phase = known
            case "from":
                source = ServedSource(name: try scanner.string())
                guard source != nil else { throw EventReportError(message: "an unknown source") }
            case "images": list = try listed(&scanner)
            case "first": first = try number(scanner.integer(), below: EventReport.positionLimit)
            case "columns":
                columns = try number(scanner.integer(), below: EventReport.positionLimit)
                guard columns > 0 else { throw EventReportError(message: "a list without columns") }
            case "offset": offset = try scanner.double()
            case "velocity": velocity = try scanner.double()
            case "width": width = try number(scanner.integer(), below: 1 << 16)
            case "height": height = try number(scanner.integer(), below: 1 << 16)
            default: throw EventReportError(message: "unknown field")
            }
        }
        guard let time, (0...latest).contains(time) else {
            throw EventReportError(message: "an event without a time, or in the future")
        }
        guard offset.isFinite, velocity.isFinite else { throw EventReportError(message: "a number that is not finite") }
        let action: PageEvent.Action =
            switch (kind, image, list, source) {
            case ("served", let image?, nil, let source?): .served(image: image, variant, source)
            case ("list", nil, let list?, nil): .list(list, variant, first: first, columns: columns)
            case (_, _, nil, nil):
                try self.action(kind, image, variant, .scroll(phase, offset: offset, velocity: velocity))
            default: throw EventReportError(message: "fields that an event does not have")
            }
        return PageEvent(time: time, action: action, viewSize: try viewSize(kind, width, height))
    }

    /// Returns the size of a view; nil without both sides.
    private func viewSize(_ kind: String, _ width: Int?, _ height: Int?) throws -> ViewSize? {
        guard width != nil || height != nil else { return nil }
        guard kind == "appear", let width, let height, let size = ViewSize(width: width, height: height) else {
            throw EventReportError(message: "a size that no view has, or an event that has none")
        }
        return size
    }

    /// Reads the numbers of the images of a list. An image can be in it several times.
    private func listed(_ scanner: inout JSONScanner) throws -> [Int] {
        var list: [Int] = []
        try scanner.beginArray()
        while try scanner.nextElement() {
            list.append(try number(scanner.integer(), below: images))
            guard list.count <= EventReport.listLimit else { throw EventReportError(message: "a list too long") }
        }
        return list
    }

    private func action(
        _ kind: String, _ image: Int?, _ variant: Variant, _ scroll: PageEvent.Action
    ) throws -> PageEvent.Action {
        switch (kind, image) {
        case ("appear", let image?): return .appear(image: image, variant)
        case ("disappear", let image?): return .disappear(image: image, variant)
        case ("scroll", nil): return scroll
        case ("memory_warning", nil): return .memoryWarning
        case ("background", nil): return .background
        case ("foreground", nil): return .foreground
        case ("terminate", nil): return .terminate
        default: throw EventReportError(message: "an unknown event, or one without its image")
        }
    }

    private func number(_ value: Int64, below limit: Int) throws -> Int {
        guard value >= 0, value < limit else { throw EventReportError(message: "a number out of range") }
        return Int(value)
    }

    /// Checks a random name that the page has chosen for its visit or its browser.
    private func name(_ text: String) throws -> String {
        guard GallerySessions.isName(text) else {
            throw EventReportError(message: "an invalid name")
        }
        return text
    }
}
