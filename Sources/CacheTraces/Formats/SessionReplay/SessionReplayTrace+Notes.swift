import Basics
import SessionModel

extension SessionReplayTrace {
    /// Adds counts, and warnings of what could not be read, with what follows for figures.
    func report(_ route: ReplayRoute, _ objects: [TraceObject], _ notes: inout ReadingNotes) {
        addFacts(&notes)
        switch route {
        case .customEvents: break
        case .wireframes: warnOfWireframes(&notes)
        case .requests: warnOfRequests(&notes)
        }
        if route == .customEvents, counts.invalidAppearances > 0 {
            notes.warnings.append(
                """
                \(counts.invalidAppearances) custom events `\(ReplayAppearance.tag)` have another version than \
                \(ReplayAppearance.version), or no valid `e` and `key`; their images are in no figure
                """)
        }
        if takesAllRequests {
            notes.warnings.append(
                """
                no request is marked as one of an image, so all \(requests.count) count as such; data of other kinds \
                are among the objects
                """)
        }
        let unsized = imageRequests.count { $0.bytes == nil && !$0.isCached }
        if unsized > 0 {
            notes.warnings.append(
                """
                \(unsized) of \(imageRequests.count) requests have no size; servers of other origins state it only \
                with \
                Timing-Allow-Origin
                """)
        }
        let unknown = objects.count { $0.bytes == nil }
        if unknown == objects.count {
            notes.warnings.append(
                """
                no image has a known size, so that limits in bytes are not reached and figures in bytes say nothing; \
                give limits in objects, such as lru(50 objects), or record custom events, which state bytes
                """)
        } else if unknown > 0 {
            notes.warnings.append("\(unknown) of \(objects.count) objects have no known size")
        }
        warnOfEvents(&notes)
    }

    private func addFacts(_ notes: inout ReadingNotes) {
        let parts = screen.counts
        let facts: [(name: String, value: Int)] = [
            ("recorded_events", recording.events.count), ("custom_appearances", counts.appearances),
            ("looks_at_wireframes", parts.looks),
            ("look_interval_ms", screen.interval.map { Int(min($0, 1e9).rounded()) } ?? 0),
            ("image_wireframes", parts.images.count), ("masked_images", parts.masked.count),
            ("placeholders", parts.placeholders.count), ("screenshots", parts.screenshots.count),
            ("web_views", parts.webViews.count), ("images_without_place", parts.withoutGeometry.count),
            ("requests", requests.count), ("image_requests", imageRequests.count),
            ("requests_without_size", imageRequests.count { $0.bytes == nil && !$0.isCached }),
            ("unknown_events", counts.unknownEvents), ("foreign_values", recording.foreign),
        ]
        notes.facts += facts.map { ReadingNotes.Fact(name: $0.name, value: $0.value) }
    }

    private func warnOfWireframes(_ notes: inout ReadingNotes) {
        let parts = screen.counts
        if let interval = screen.interval, interval >= 300 {
            notes.warnings.append(
                """
                the screen was looked at every \(HumanText.microseconds(min(interval, 1e9) * 1000)): images that pass \
                between two looks are missing, and others come late. Figures are those of a slower visit; custom \
                events \
                are exact, see Examples/SessionReplays
                """)
        }
        if !parts.masked.isEmpty {
            notes.warnings.append(
                """
                \(parts.masked.count) of \(parts.images.count) images are masked and known only by the number of their \
                element: an element that shows another image counts as the same one, and an image in another element \
                as \
                another one, so that hits can be too many or too few. Their sizes are those of no request. Switch \
                maskAllImages off, or record custom events, see Examples/SessionReplays
                """)
        }
        let hidden = [
            (parts.placeholders.count, "placeholders"), (parts.screenshots.count, "screenshots"),
            (parts.webViews.count, "web views"), (parts.withoutGeometry.count, "images without a place"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !hidden.isEmpty {
            notes.warnings.append(
                "\(hidden.joined(separator: ", ")): images in them are in no figure, so that requests are too few")
        }
        if parts.unknown > 0 {
            notes.warnings.append(
                """
                \(parts.unknown) changes of elements that the recording lacks; a piece of it may be missing, and \
                images \
                with it
                """)
        }
    }

    private func warnOfRequests(_ notes: inout ReadingNotes) {
        let parts = screen.counts
        if !parts.images.isEmpty {
            notes.warnings.append(
                """
                \(parts.masked.count) of \(parts.images.count) images are masked, so that the requests stand for \
                appearances, and not the wireframes. Switch maskAllImages off, or record custom events, see \
                Examples/SessionReplays
                """)
        }
        notes.warnings.append(
            """
            appearances are those of requests: an image that came from a cache without a request is missing, so that \
            the figures of caches are too bad, and no image disappears
            """)
    }

    private func warnOfEvents(_ notes: inout ReadingNotes) {
        for (count, what) in [
            (recording.packed, "events are packed texts and skipped; unpack them with `unpack` of rrweb"),
            (recording.foreign, "values are no events and skipped"),
            (counts.unknownEvents, "events are of unknown types and skipped; a newer recorder may have written them"),
            (recording.late, "events stand behind later ones; they were put in order of time"),
        ] where count > 0 {
            notes.warnings.append("\(count) \(what)")
        }
    }
}
