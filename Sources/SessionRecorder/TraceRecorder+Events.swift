import Foundation

/// What an app tells of its cells, its lists and itself.
///
/// A key is what the app's cache uses: mostly the URL. ``RecordingOptions/privacy`` says how much of it is written.
extension TraceRecorder {
    /// Which rendition of an object a cell asks for.
    public enum Variant: String, Sendable, CaseIterable {
        case thumbnail, full
    }

    /// How a list is moving.
    public enum ScrollPhase: String, Sendable, CaseIterable {
        /// A finger moves the list.
        case dragged
        /// The finger has left; the list still moves.
        case decelerating
        /// The list stands still.
        case atRest = "at_rest"
    }

    /// A cell that shows the image became visible: a request, whether or not a cache answers it.
    public func cellAppeared(_ key: String, variant: Variant = .full) {
        record(.cell(.appear, key: key, variant))
    }

    /// The cell vanished, or shows something else now.
    public func cellDisappeared(_ key: String, variant: Variant = .full) {
        record(.cell(.disappear, key: key, variant))
    }

    /// The app asked for the image ahead of need.
    public func prefetched(_ key: String, variant: Variant = .full) {
        record(.cell(.prefetch, key: key, variant))
    }

    /// The list moved, or changed its phase.
    ///
    /// - Parameters:
    ///   - offset: In points, along the axis that scrolls.
    ///   - velocity: In points per second. UIKit tells it only at the end of a drag, and per millisecond; left out, it
    ///   is
    ///     worked out from the offset of the call before.
    public func scrolled(phase: ScrollPhase, offset: Double, velocity: Double? = nil) {
        recordScroll(phase, offset, velocity)
    }

    /// The image was fetched from the network; call it when the fetch has ended. The request's time is reckoned back.
    ///
    /// - Parameters:
    ///   - status: That of HTTP; 0 where no response, or only a part of it, came.
    ///   - bytes: Those of the body as it came over the wire.
    ///   - contentType: Such as `image/jpeg`.
    ///   - headers: Of the response. Only those that bear on caching are written.
    ///   - timeToFirstByte: Seconds from the request to the first byte of the response.
    ///   - transferTime: Seconds from the first byte to the last.
    ///   - isUndecodable: Whether the body was no image that could be decoded, whatever the status says.
    public func fetched(
        _ key: String, status: Int = 200, bytes: Int? = nil, contentType: String? = nil,
        headers: [String: String] = [:],
        timeToFirstByte: TimeInterval? = nil, transferTime: TimeInterval? = nil, isUndecodable: Bool = false
    ) {
        let fetch = FetchFacts(
            status: Optional(status).within(TraceBounds.status) ?? 0,
            timeToFirstByte: timeToFirstByte.flatMap(Int64.init(microsecondsIn:)),
            transferTime: transferTime.flatMap(Int64.init(microsecondsIn:)), isUndecodable: isUndecodable)
        var object = ObjectFacts(bytes: bytes.within(TraceBounds.bytes), contentType: contentType)
        object.take(headers)
        record(.fetch(key: key, fetch, object), .ago(fetch.duration))
    }

    /// Tells what the app knows of an image without fetching it: the size of the file in its disk cache, the pixels
    /// once it is decoded. Not an event; what is told here goes before what a fetch tells.
    public func described(
        _ key: String, bytes: Int? = nil, contentType: String? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil
    ) {
        let object = ObjectFacts(
            bytes: bytes.within(TraceBounds.bytes), contentType: contentType,
            pixelWidth: pixelWidth.within(TraceBounds.pixels),
            pixelHeight: pixelHeight.within(TraceBounds.pixels))
        record(.object(key: key, object))
    }

    /// The system warned of low memory. Written at once.
    public func memoryWarning() { record(.system(.memoryWarning)) }

    /// The app left the screen. Written at once, as the system may end a suspended app without another word.
    public func background() { record(.system(.background)) }

    /// The app is back on the screen.
    public func foreground() { record(.system(.foreground)) }

    /// The app is about to end. ``finish(timeout:)`` should follow.
    public func terminate() { record(.system(.terminate)) }
}

extension ObjectFacts {
    /// Takes those headers that bear on caching, whatever the case of their names, in an order that does not vary.
    mutating func take(_ all: [String: String]) {
        guard !all.isEmpty else { return }
        let lowered = Dictionary(all.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        headers = Self.headerNames.compactMap { name in lowered[name].map { Header(name: name, value: $0) } }
    }
}
