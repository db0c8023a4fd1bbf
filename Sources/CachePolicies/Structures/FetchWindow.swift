/// The last fetch of an object as if no cache held it, for policies that rank by delays.
///
/// A fetch takes a fixed time, its window. A request after the end of the window begins another one, and waits for the
/// whole fetch. Any other request waits for what is left of the window: it is a delayed hit. Times are in microseconds.
///
/// N. Atre, J. Sherry, W. Wang, D. S. Berger, Caching with delayed hits, SIGCOMM 2020. The sum of the delays of a
/// window is the aggregate delay of a miss.
struct FetchWindow: BitwiseCopyable {
    /// `Int64.min`: no request so far.
    private var start = Int64.min

    /// Whether the object was never requested.
    var isUnused: Bool { start == .min }

    /// Notes a request at `now`, which is not before the last one. Returns its delay, and whether it begins a window.
    ///
    /// - Parameters:
    ///   - now: The time of the request.
    ///   - duration: The time of a fetch, above 0, which is the same at each call.
    mutating func request(at now: Int64, fetch duration: Int64) -> (delay: Int64, begins: Bool) {
        let elapsed = now &- start
        guard isUnused || elapsed >= duration else { return (duration &- elapsed, false) }
        start = now
        return (duration, true)
    }
}
