/// S4LRU: four LRU segments of a quarter of the cache each. Objects enter the lowest, each hit lifts them by one, the
/// least recently used of a full segment sinks to the one below, and leaves the cache from the lowest.
///
/// Qi Huang, Ken Birman, Robbert van Renesse, Wyatt Lloyd, Sanjeev Kumar, Harry C. Li, "An Analysis of Facebook Photo
/// Caching", SOSP 2013, section 6.1. Unlike with ``SLRU``, new objects have a quarter to live in even while the other
/// three are empty.
///
/// The quarters are rounded down, and the lowest has the rest, so that a cache of one object works. With bytes, an
/// object larger than the lowest quarter is refused.
enum S4LRU {
    static let entry = PolicyEntry(
        "s4lru", "Four LRU segments of a quarter each; a hit lifts an object by one, as in Facebook's photo caches.",
        parameters: [.limits]
    ) { SLRU(try $0.limits(), segments: 4, form: .strict) }
}
