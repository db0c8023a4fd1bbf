/// The native format: JSON Lines (`.jsonl`), one JSON object per line, UTF-8, `\n` or `\r\n`. Blank lines are skipped.
///
/// The **first line** is the header. Only `cachereplay_trace`, the version, is required:
///
///     {"cachereplay_trace":1,"title":"Photo feed","recorder":"gallery
///     1.0","started":"2026-03-01T09:30:00Z","synthetic":false}
///
/// A recorder that takes times from two clocks, as the gallery does from a page's and its own, says in `clock_error_us`
/// by how many microseconds they may be off from each other.
///
/// An **object line** says what a key names, and gives it a number `o` by which events refer to it. It stands before
/// the first such event; any number that is not negative will do. All facts but `key` may be missing, and a later line
/// of the same number and key may add to them:
///
///     {"e":"object","o":0,"key":"https://example.com/1.jpg","bytes":48213,"type":"image/jpeg","width":640,"height":480,"headers":{"etag":"\"5f\""}}
///
/// Every other line is an **event**. `t` is the time in whole microseconds from the start of the recording:
///
///     {"t":1200000,"e":"appear","o":0,"variant":"thumbnail"} a cell that shows the object became visible: a request
///     {"t":1200000,"e":"fetch","o":0,"status":200,"bytes":48213,"ttfb_us":31000,"transfer_us":4000}
///     {"t":2300000,"e":"disappear","o":0,"variant":"thumbnail"}
///     {"t":2300000,"e":"prefetch","key":"https://example.com/2.jpg"}
///     {"t":2400000,"e":"scroll","phase":"dragged","offset":120.5,"velocity":900}
///     {"t":9000000,"e":"memory_warning"}          likewise background, foreground, terminate
///
/// - `appear`, `disappear`, `prefetch` and `fetch` name their object by `o` or, without an object line, by `key`.
/// - `variant` is `thumbnail` or `full`, which is what a missing one means.
/// - `scroll`: `phase` is `dragged`, `decelerating` or `at_rest`; `offset` in points, `velocity` in points per second,
///   both 0 when missing.
/// - `fetch`: `t` is when the request was sent. `status` is that of HTTP, 0 where no response came; `bytes` those of
///   the body; `ttfb_us` from the request to the first byte; `transfer_us` from the first byte to the last. Any may be
///   missing (a missing status is 200). `undecodable`, true, says that the body was no image, whatever the status. It
///   may also carry `type`, `width`, `height` and `headers`, for recorders that learn them only then. A successful
///   fetch (2xx) tells what is not yet known of its object, also its `bytes`; what an object line says, even `null`,
///   stays.
/// - Events stand in order of time. Only `fetch` lines may be late, because a recorder writes one when the fetch has
///   ended.
/// - Unknown fields are ignored, so that a recorder may add its own. Unknown events are errors: a replay without them
///   would be another replay.
/// - A recorder appends whole lines and may be killed at any moment: a last line that breaks off is dropped, with a
///   warning.
public enum JSONLinesFormat {
    static let version: Int64 = 1

    /// Every value that `e` takes.
    static let eventNames = TraceEvent.Action.names + ["object"]
}
