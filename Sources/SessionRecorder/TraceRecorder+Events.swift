import Foundation

/// The events of cells, lists, fetches and the app.
///
/// A key is the key of the app's cache, mostly the URL. ``RecordingOptions/privacy`` determines the parts of it that
/// are written.
extension TraceRecorder {
    /// The rendition of an image that a cell shows.
    public enum Variant: String, Sendable, CaseIterable {
        case thumbnail, full
    }

    /// The movement of a list.
    public enum ScrollPhase: String, Sendable, CaseIterable {
        /// A finger moves the list.
        case dragged
        /// The finger is lifted; the list still moves.
        case decelerating
        /// The list does not move.
        case atRest = "at_rest"
    }

    /// Records that a cell with the image became visible: a request, whether or not a cache holds the image.
    public func cellAppeared(_ key: String, variant: Variant = .full) {
        cellAppeared(key, variant: variant, viewSize: nil)
    }

    /// Records that the cell disappeared, or shows another image.
    public func cellDisappeared(_ key: String, variant: Variant = .full) {
        record(.cell(.disappear, key: key, variant, nil))
    }

    /// Records that the app requested the image before a cell shows it.
    public func prefetched(_ key: String, variant: Variant = .full) {
        prefetched(key, variant: variant, viewSize: nil)
    }

    /// Records that the app removed the image from its cache, in both variants, from memory and from disk.
    public func removed(_ key: String) { record(.removal(key: key)) }

    /// Records that the list moved, or that its phase changed.
    ///
    /// - Parameters: - offset: In points, along the scrolling axis. - velocity: In points per second; nil to compute it
    ///   from the offset of the previous call. UIKit reports it only at
    ///     the end of a drag, in points per millisecond.
    public func scrolled(phase: ScrollPhase, offset: Double, velocity: Double? = nil) {
        recordScroll(phase, offset, velocity)
    }

    /// What came in response to a fetch.
    public struct Response: Sendable {
        /// The HTTP status; 0 if no response came, or only a part of it.
        public var status: Int
        /// The number of bytes of the body as transferred.
        public var bytes: Int?
        /// For example `image/jpeg`.
        public var contentType: String?
        /// Only headers that concern caching are written.
        public var headers: [String: String]
        /// Whether the body could not be decoded as an image, whatever the status is.
        public var isUndecodable: Bool

        public init(
            status: Int = 200, bytes: Int? = nil, contentType: String? = nil, headers: [String: String] = [:],
            isUndecodable: Bool = false
        ) {
            (self.status, self.bytes, self.contentType) = (status, bytes, contentType)
            (self.headers, self.isUndecodable) = (headers, isUndecodable)
        }
    }

    /// Records a fetch from the network. Call it when the fetch has ended; the time of the request is computed from the
    /// durations.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - response: What came.
    ///   - timeToFirstByte: Seconds from the request to the first byte of the response.
    ///   - transferTime: Seconds from the first byte to the last.
    public func fetched(
        _ key: String, _ response: Response = Response(), timeToFirstByte: TimeInterval? = nil,
        transferTime: TimeInterval? = nil
    ) {
        let fetch = FetchFacts(
            status: Optional(response.status).within(TraceBounds.status) ?? 0,
            timeToFirstByte: timeToFirstByte.flatMap(Int64.init(microsecondsIn:)),
            transferTime: transferTime.flatMap(Int64.init(microsecondsIn:)), isUndecodable: response.isUndecodable)
        var object = RecordedObject(bytes: response.bytes.within(TraceBounds.bytes), contentType: response.contentType)
        object.take(response.headers)
        record(.fetch(key: key, fetch, object), .ago(fetch.duration))
    }

    /// Records facts about an image without a fetch, such as the size of its file in the app's disk cache, or its size
    /// in pixels after decoding. These facts take precedence over those of a fetch.
    public func described(
        _ key: String, bytes: Int? = nil, contentType: String? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil
    ) {
        let object = RecordedObject(
            bytes: bytes.within(TraceBounds.bytes), contentType: contentType,
            pixelWidth: pixelWidth.within(TraceBounds.pixels),
            pixelHeight: pixelHeight.within(TraceBounds.pixels))
        record(.object(key: key, object))
    }

    /// Records a memory warning of the system. Written at once.
    public func memoryWarning() { record(.system(.memoryWarning)) }

    /// Records that the app entered the background. Written at once, because the system can end a suspended app without
    /// notice.
    public func background() { record(.system(.background)) }

    /// Records that the app entered the foreground.
    public func foreground() { record(.system(.foreground)) }

    /// Records that the app is about to end. Call ``finish(timeout:)`` next.
    public func terminate() { record(.system(.terminate)) }
}

extension RecordedObject {
    /// Keeps the headers that concern caching, in a fixed order. Ignores the case of their names.
    mutating func take(_ all: [String: String]) {
        guard !all.isEmpty else { return }
        let lowered = Dictionary(all.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        headers = Self.headerNames.compactMap { name in lowered[name].map { Header(name: name, value: $0) } }
    }
}
