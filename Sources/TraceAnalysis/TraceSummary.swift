import Basics
import CacheTraces
import SessionModel

public struct TraceSummary: Sendable, Equatable {
    /// A name and a number.
    public struct Count: Sendable, Equatable {
        public var name: String
        public var count: Int
    }

    public var header: TraceHeader
    /// The number of `appear` events.
    public var requests = 0
    /// The number of `prefetch` events.
    public var prefetches = 0
    /// The number of `fetch` events.
    public var fetches = 0
    /// The number of fetches of objects whose recorded type is `image/…`.
    public var images = 0
    /// The number of fetches of objects whose type was not recorded.
    public var fetchesOfUnknownType = 0
    /// The number of objects that events other than `list` name.
    public var objects = 0
    public var objectsWithoutSize = 0
    /// The bytes of all requests, each counted with the size of its object.
    public var bytes = 0
    /// The number of requests of objects without a recorded size.
    public var requestsWithoutSize = 0
    /// The bytes of all objects that events name, each counted once.
    public var uniqueBytes = 0
    /// The bytes of the bodies of all recorded fetches.
    public var fetchedBytes = 0
    /// The microseconds from the first event to the last.
    public var duration: Int64
    /// The number of events of each kind that occurs, in the order of `TraceEvent.Action`.
    public var events: [Count] = []
    /// The number of requests of each variant that occurs.
    public var variants: [Count] = []

    /// The number of positions that the recorded lists name.
    public var listed = 0
    /// How often the session contradicts its recorded lists.
    public var contradictions = ListOrder.Contradictions()
    /// The number of requests from each recorded source that occurs.
    public var sources: [Count] = []
    /// The number of `served` events that belong to no request.
    public var unmatchedSources = 0
    /// The sizes of views; nil if the trace records none.
    public var viewSizes: ViewSizeCounts?

    /// Counts a session.
    public init(_ trace: Trace) {
        header = trace.header
        duration = trace.duration
        var isNamed = [Bool](repeating: false, count: trace.objects.count)
        // Outside of the loop, because copying an object costs more than counting an event.
        let sizes = trace.objects.map { $0.bytes ?? -1 }
        let isImage = trace.objects.map { $0.contentType.map { $0.lowercased().hasPrefix("image/") } }
        var kinds = [Int](repeating: 0, count: TraceEvent.Action.names.count)
        var requestsByVariant = [Int](repeating: 0, count: Variant.allCases.count)
        for event in trace.events {
            kinds[event.action.kind] += 1
            // A list also names objects that the user never saw.
            if case .list = event.action { continue }
            guard let id = event.action.object.map(Int.init), isNamed.indices.contains(id) else { continue }
            isNamed[id] = true
            switch event.action {
            case .appear(_, let variant):
                requests += 1
                requestsByVariant[Int(variant.rawValue)] += 1
                if sizes[id] >= 0 { bytes += sizes[id] } else { requestsWithoutSize += 1 }
            case .prefetch: prefetches += 1
            case .fetch(_, let fetch):
                fetches += 1
                switch isImage[id] {
                case true?: images += 1
                case false?: break
                case nil: fetchesOfUnknownType += 1
                }
                fetchedBytes += fetch.bytes ?? 0
            case .disappear, .scroll, .memoryWarning, .background, .foreground, .terminate, .remove, .list, .served,
                .cost:
                break
            }
        }
        for (object, isNamed) in zip(trace.objects, isNamed) where isNamed {
            objects += 1
            uniqueBytes += object.bytes ?? 0
            objectsWithoutSize += object.bytes == nil ? 1 : 0
        }
        events = zip(TraceEvent.Action.names, kinds).filter { $1 > 0 }.map(Count.init)
        variants = zip(Variant.allCases.map(\.description), requestsByVariant).filter { $1 > 0 }.map(Count.init)
        countLists(trace)
        countSources(trace)
        viewSizes = ViewSizeCounts(trace)
    }

    private mutating func countLists(_ trace: Trace) {
        guard trace.recordsLists else { return }
        let order = ListOrder(trace)
        listed = Variant.allCases.reduce(0) { $0 + Set(order.changes($1).map(\.item.position)).count }
        contradictions = order.contradictions(in: trace)
    }

    private mutating func countSources(_ trace: Trace) {
        guard trace.recordsSources else { return }
        let served = ServedRequests(trace)
        unmatchedSources = served.unmatched
        sources = ServedSource.allCases.map { source in
            Count(name: source.description, count: served.sources.count { $0 == source })
        }.filter { $0.count > 0 }
    }

    public init(_ log: RequestLog) {
        header = TraceHeader()
        requests = log.count
        objects = log.objectCount
        duration = log.span.upperBound - log.span.lowerBound
        for (size, count) in zip(log.sizes, log.requestsByObject()) {
            if size == RequestLog.unknownSize {
                objectsWithoutSize += 1
                requestsWithoutSize += Int(count)
            } else {
                uniqueBytes += size
                bytes += size * Int(count)
            }
        }
        if requests > 0 {
            events = [Count(name: "appear", count: requests)]
            variants = [Count(name: Variant.full.description, count: requests)]
        }
    }
}

extension TraceSummary {
    /// Returns the counts and the warnings of a reading as one JSON object.
    public func json(_ reading: TraceReading) -> String {
        JSONWriter.object {
            writeMembers(
                to: &$0, format: reading.format, facts: reading.facts, pages: reading.pages,
                warnings: reading.warnings)
        }.text
    }

    /// Writes the members of that object.
    package func writeMembers(
        to writer: inout JSONWriter, format: TraceFormat, facts: [ReadingNotes.Fact], pages: [HARPage],
        warnings: [String]
    ) {
        func counts(_ name: String, _ counts: [Count]) {
            writer.object(name) { for count in counts { $0.member(count.name, count.count) } }
        }
        writer.member("format", format.name)
        writer.member("requests", requests)
        writer.member("objects", objects)
        writer.member("bytes", bytes)
        writer.member("unique_bytes", uniqueBytes)
        writer.key("duration_s")
        writer.double(Double(duration) / 1e6)
        writer.member("prefetches", prefetches)
        writer.member("fetches", fetches)
        writer.member("images", images)
        writer.member("fetches_of_unknown_type", fetchesOfUnknownType)
        writer.member("fetched_bytes", fetchedBytes)
        writer.member("requests_without_size", requestsWithoutSize)
        writer.member("objects_without_size", objectsWithoutSize)
        counts("events", events)
        counts("variants", variants)
        if let viewSizes {
            writer.object("view_sizes") {
                $0.member("appearances", viewSizes.appearances)
                $0.member("prefetches", viewSizes.prefetches)
                $0.member("objects_in_several_sizes", viewSizes.objectsInSeveralSizes)
            }
        }
        if listed > 0 {
            writer.object("lists") {
                $0.member("positions", listed)
                $0.member("unlisted_requests", contradictions.unlisted)
                $0.member("unordered_rows", contradictions.unorderedRows)
            }
        }
        if !sources.isEmpty || unmatchedSources > 0 {
            counts("served", sources + [Count(name: "unmatched", count: unmatchedSources)])
        }
        writer.member("title", header.title)
        writer.member("recorder", header.recorder)
        if let route = ReplayRoute(format: format, recorder: header.recorder) { writer.member("route", route.text) }
        writer.member("started", header.started)
        writer.member("synthetic", header.synthetic)
        writer.member("scripted", header.scripted)
        if !facts.isEmpty { counts("recording", facts.map { Count(name: $0.name, count: $0.value) }) }
        pages.write(to: &writer)
        writer.member("warnings", warnings)
    }

    /// Returns the counts as text, with one label and value per line.
    public func text(_ reading: TraceReading) -> String {
        Self.aligned(rows(format: reading.format, facts: reading.facts, pages: reading.pages))
    }

    /// - Parameter width: The widest line, in columns; nil for any.
    package static func aligned(_ rows: [(label: String, value: String)], width: Int? = nil) -> String {
        TextGrid.list(rows.map { ($0.label, VisibleText.line($0.value)) }, width: width).joined(separator: "\n")
    }

    package func rows(format: TraceFormat, facts: [ReadingNotes.Fact], pages: [HARPage]) -> [(
        label: String, value: String
    )] {
        func list(_ counts: [Count]) -> String { counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ") }
        func unknown(_ count: Int) -> String { count > 0 ? ", \(count) without a size" : "" }
        var rows: [(label: String, value: String)] = [("format", format.name)]
        if let title = header.title { rows.append(("title", header.synthetic ? "\(title) (synthetic)" : title)) }
        if header.scripted { rows.append(("visitor", "a program, not a person")) }
        if let recorder = header.recorder { rows.append(("recorder", recorder)) }
        if let route = ReplayRoute(format: format, recorder: header.recorder) {
            rows.append(("appearances", route.text))
        }
        if let started = header.started { rows.append(("started", started)) }
        rows.append(("duration", "\(Double(duration / 1000) / 1000) s"))
        func amount(_ count: Int, _ bytes: Int, unknown without: Int) -> String {
            "\(count), "
                + (without == count && count > 0
                    ? "sizes unknown" : HumanText.bytes(withTenths: bytes) + unknown(without))
        }
        rows.append(("requests", amount(requests, bytes, unknown: requestsWithoutSize)))
        if !variants.isEmpty { rows.append(("variants", list(variants))) }
        if let viewSizes { rows.append(("view sizes", text(viewSizes))) }
        rows.append(("objects", amount(objects, uniqueBytes, unknown: objectsWithoutSize)))
        if prefetches > 0 { rows.append(("prefetches", "\(prefetches)")) }
        if fetches > 0 {
            let unknown = fetchesOfUnknownType > 0 ? ", \(fetchesOfUnknownType) of unknown type" : ""
            rows.append(
                ("fetches", "\(fetches), \(HumanText.bytes(withTenths: fetchedBytes)), \(images) of images\(unknown)"))
        }
        if listed > 0 { rows.append(("lists", "\(listed) positions\(contradictionText)")) }
        if !sources.isEmpty || unmatchedSources > 0 {
            let unmatched = Count(name: "without a request", count: unmatchedSources)
            rows.append(("served from", list(sources + (unmatchedSources > 0 ? [unmatched] : []))))
        }
        rows.append(("events", list(events)))
        if !facts.isEmpty {
            rows.append(("recording", list(facts.map { Count(name: $0.name, count: $0.value) })))
        }
        return rows + pages.rows
    }

    /// `1,200 of 1,240 appearances; 31 images are shown in more than one size`.
    private func text(_ sizes: ViewSizeCounts) -> String {
        let several = sizes.objectsInSeveralSizes
        let images =
            switch several {
            case 0: "no image is"
            case 1: "1 image is"
            default: "\(HumanText.count(Double(several))) images are"
            }
        let sized = HumanText.count(Double(sizes.appearances))
        return "\(sized) of \(HumanText.count(requests, "appearance")); \(images) shown in more than one size"
    }

    /// The numbers of events that contradict the lists, after a comma. The text is empty without such events.
    private var contradictionText: String {
        var parts: [String] = []
        if contradictions.unlisted > 0 { parts.append("\(contradictions.unlisted) requests of objects that they lack") }
        if contradictions.unorderedRows > 0 { parts.append("\(contradictions.unorderedRows) rows out of order") }
        return parts.isEmpty ? ", no contradictions" : ", contradicted by " + parts.joined(separator: " and ")
    }
}

/// The pages of a recording in `trace info`.
extension [HARPage] {
    var rows: [(label: String, value: String)] {
        guard count > 1 else { return [] }
        return enumerated().map { index, page in
            (index == 0 ? "pages" : "", "\(page.label(index + 1)): \(page.entries) entries, \(page.images) of images")
        }
    }

    func write(to writer: inout JSONWriter) {
        guard !isEmpty else { return }
        writer.array("pages", self) { writer, page in
            writer.object {
                $0.member("id", page.id)
                $0.member("title", page.title)
                $0.member("entries", page.entries)
                $0.member("images", page.images)
            }
        }
    }
}

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
