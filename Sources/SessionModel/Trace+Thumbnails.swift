extension Trace {
    /// Makes every event of the objects that `isThumbnail` picks one of variant `thumbnail`. Returns how many objects
    /// that are.
    ///
    /// For recordings that know URLs only, where the thumbnails' have a mark: `trace.markThumbnails {
    /// $0.key.contains("/thumb/") }`.
    @discardableResult
    public mutating func markThumbnails(where isThumbnail: (TraceObject) -> Bool) -> Int {
        let picked = objects.map(isThumbnail)
        for index in events.indices {
            guard let object = events[index].action.object, picked.indices.contains(Int(object)), picked[Int(object)]
            else { continue }
            switch events[index].action {
            case .appear: events[index].action = .appear(object, .thumbnail)
            case .disappear: events[index].action = .disappear(object, .thumbnail)
            case .prefetch: events[index].action = .prefetch(object, .thumbnail)
            case .fetch, .scroll, .memoryWarning, .background, .foreground, .terminate: break
            }
        }
        return picked.count { $0 }
    }
}
