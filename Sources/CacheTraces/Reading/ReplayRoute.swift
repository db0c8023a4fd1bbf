/// The way in which the appearances of a session replay or an archive of requests were found, which limits their
/// exactness.
package enum ReplayRoute: String, Sendable, CaseIterable {
    case customEvents = "custom events"
    case requests = "requests alone"

    /// The recorder of a trace that `scripts/convert-replay` made by this route.
    private var recorder: String { "session replay, by \(rawValue)" }

    /// Returns the route by which a trace was made, as far as its format or recorder tells; nil for others.
    package init?(format: TraceFormat, recorder: String?) {
        if [TraceFormat.har, .charles].contains(where: { $0.name == format.name }) {
            self = .requests
        } else if let found = Self.allCases.first(where: { $0.recorder == recorder }) {
            self = found
        } else {
            return nil
        }
    }

    /// The route with its limits, for `trace info`.
    package var text: String {
        switch self {
        case .customEvents: "custom events of the app: the appearances are exact, and so are their times"
        case .requests:
            """
            requests alone: 70% to 99% of the appearances, none that a cache answered without a request, and no \
            disappearance of a cell
            """
        }
    }
}
