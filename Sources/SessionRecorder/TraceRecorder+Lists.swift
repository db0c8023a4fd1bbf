/// The order of lists, and where shown images came from.
extension TraceRecorder {
    /// Where the app had an image from that it shows.
    public enum Source: String, Sendable, CaseIterable {
        /// A cache in memory.
        case memory
        /// A file, a database, or `URLCache`.
        case disk
        case network
    }

    /// Records what a list shows, in order of its positions. A replay needs it to prefetch what the user never saw.
    ///
    /// Call it when the list gets its content, when items are added or change their places, and when the number of
    /// columns changes. Positions that the call does not name keep their items. All events of a call have one time.
    /// Lists of thumbnails and of full images are recorded apart.
    ///
    /// The keys wait in memory to be written: with the default ``RecordingOptions/queueByteLimit``, a call records
    /// about 8,000 keys of 100 bytes. What does not fit is dropped and counted.
    ///
    /// - Parameters:
    ///   - keys: The keys of the images.
    ///   - variant: What the cells of the list show.
    ///   - columns: The number of items in a row; numbers below 1 count as 1.
    ///   - first: The position of the first key, from 0. A negative number counts as 0.
    public func list(_ keys: [String], variant: Variant = .full, columns: Int = 1, from first: Int = 0) {
        let (columns, first) = (max(1, columns), max(0, first))
        // Positions behind the last one that a trace can contain are omitted.
        let room = first > TraceBounds.lastPosition ? 0 : TraceBounds.lastPosition - first + 1
        let keys = keys.prefix(room)
        record(
            stride(from: 0, to: keys.count, by: ListPart.length).map { start in
                let part = Array(keys[start..<min(start + ListPart.length, keys.count)])
                return .list(ListPart(keys: part, variant: variant, columns: columns, first: first + start))
            })
    }

    /// Records that a cell shows the image, and where the app had it from. `cachereplay validate --cache` compares this
    /// with the prediction for a cache.
    ///
    /// Call it once for each cell that gets its image, at the latest before the cell disappears. Do not call it for a
    /// placeholder, or for a cell that disappeared without its image.
    public func served(_ key: String, variant: Variant = .full, from source: Source) {
        record(.served(key: key, variant, source))
    }
}

/// Consecutive positions of a list.
struct ListPart: Sendable {
    /// The most keys of a part. The queue takes or drops a part as a whole.
    static let length = 256

    var keys: [String]
    var variant: TraceRecorder.Variant
    var columns: Int
    var first: Int
}
