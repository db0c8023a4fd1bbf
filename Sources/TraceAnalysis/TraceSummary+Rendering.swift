import Basics
import CacheTraces
import SessionModel

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

    /// What contradicts the lists, behind a comma; empty if nothing does.
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
