import DequeModule

/// The requests that wait for a fetch, in the order in which they came.
///
/// Most fetches have one, which takes no allocation.
struct FetchWaiters: RandomAccessCollection {
    /// The request that came first; negative for none.
    private var oldest = -1
    /// Those that came later; nil before the first of them.
    private var others: Deque<Int>?

    init() {}

    init(_ request: Int) { oldest = request }

    var startIndex: Int { 0 }
    var endIndex: Int { oldest < 0 ? 0 : 1 + (others?.count ?? 0) }
    subscript(position: Int) -> Int { position == 0 ? oldest : others?[position - 1] ?? oldest }

    mutating func append(_ request: Int) {
        if oldest < 0 {
            oldest = request
        } else if others == nil {
            others = [request]
        } else {
            others?.append(request)
        }
    }

    /// Removes a request if it waits. Cells of one object disappear in the order in which they appeared, so it usually
    /// is the first one.
    mutating func remove(_ request: Int) {
        if oldest == request {
            oldest = others?.popFirst() ?? -1
        } else if let place = others?.firstIndex(of: request) {
            others?.remove(at: place)
        }
    }
}
