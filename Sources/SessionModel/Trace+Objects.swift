extension Trace {
    /// Returns whether each object is named by `list` events alone; an empty array if there is no such object.
    ///
    /// The user never saw these objects. They are not part of the working set, so that a recorded list changes no
    /// figure of a replay.
    package func onlyListedObjects() -> [Bool] {
        guard recordsLists else { return [] }
        var isListed = [Bool](repeating: false, count: objects.count)
        var isNamed = isListed
        for action in events.lazy.map(\.action) {
            guard let object = action.object.map(Int.init), isNamed.indices.contains(object) else { continue }
            if case .list = action { isListed[object] = true } else { isNamed[object] = true }
        }
        let result = zip(isListed, isNamed).map { $0 && !$1 }
        return result.contains(true) ? result : []
    }

    /// Returns the bytes of every object, also of those without a recorded size.
    ///
    /// An object without a size has the size of its first successful fetch with a body. An object that was only
    /// answered with 204 or 205 has size 0. An object without such fetches has the median size of the others. Replay,
    /// simulation and the loopback origin use these sizes.
    public func resolvedSizes() -> ResolvedSizes {
        var sizes = objects.map(\.bytes)
        let isOnlyListed = onlyListedObjects()
        if sizes.contains(nil) {
            for case .fetch(let object, let fetch) in events.lazy.map(\.action) where sizes[Int(object)] == nil {
                if let bytes = fetch.bytes, bytes > 0, fetch.succeeded { sizes[Int(object)] = bytes }
            }
            // A 204 or 205 has no body (RFC 9110, sections 15.3.5 and 15.3.6), so there is nothing to assume.
            for case .fetch(let object, let fetch) in events.lazy.map(\.action) where sizes[Int(object)] == nil {
                if fetch.status == 204 || fetch.status == 205 { sizes[Int(object)] = 0 }
            }
        }
        let counted = isOnlyListed.isEmpty ? sizes : zip(sizes, isOnlyListed).filter { !$1 }.map(\.0)
        let known = counted.compactMap { $0 }.sorted()
        let median = known.isEmpty ? 1 : known[known.count / 2]
        return ResolvedSizes(
            bytes: sizes.map { $0 ?? median }, assumed: median, assumedCount: counted.count - known.count)
    }
}

/// The sizes of all objects of a trace, with assumed values for unknown ones.
public struct ResolvedSizes: Sendable, Equatable {
    /// Indexed by ``ObjectID``.
    public var bytes: [Int]
    /// The bytes that objects of unknown size are assumed to have.
    public var assumed: Int
    /// The number of objects with the assumed size.
    public var assumedCount: Int
}

extension Trace {
    /// Changes the variant of every event of the objects that `isThumbnail` selects to `thumbnail`.
    ///
    /// For recordings of URLs in which those of thumbnails share a word:
    /// `trace.markThumbnails { $0.key.contains("/thumb/") }`.
    ///
    /// - Returns: The number of objects that were selected.
    @discardableResult
    public mutating func markThumbnails(where isThumbnail: (TraceObject) -> Bool) -> Int {
        let selected = objects.map(isThumbnail)
        for index in events.indices {
            guard let object = events[index].action.object, selected.indices.contains(Int(object)),
                selected[Int(object)]
            else { continue }
            switch events[index].action {
            case .appear: events[index].action = .appear(object, .thumbnail)
            case .disappear: events[index].action = .disappear(object, .thumbnail)
            case .prefetch: events[index].action = .prefetch(object, .thumbnail)
            case .list(_, _, let position, let row):
                events[index].action = .list(object, .thumbnail, position: position, row: row)
            case .served(_, _, let source): events[index].action = .served(object, .thumbnail, source)
            case .fetch, .scroll, .memoryWarning, .background, .foreground, .terminate, .remove: break
            }
        }
        return selected.count { $0 }
    }
}

extension Trace {
    /// Whether cells appear and none ever disappears, as in recordings of requests: a HAR of one page, an access log,
    /// or the recording of a proxy. A replay then regards each cell as visible until the end of the trace.
    public var cellsStay: Bool {
        var appears = false
        for event in events {
            switch event.action {
            case .appear: appears = true
            case .disappear: return false
            default: break
            }
        }
        return appears
    }
}
