import HeapModule

/// What is still to happen in virtual time, soonest first; things of one instant in the order in which they were planned.
struct ReplayAgenda<Item> {
    private struct Entry: Comparable {
        var time: Int64
        var sequence: UInt64
        var item: Item

        static func == (one: Entry, other: Entry) -> Bool { one.sequence == other.sequence }

        static func < (one: Entry, other: Entry) -> Bool {
            one.time != other.time ? one.time < other.time : one.sequence < other.sequence
        }
    }

    private var heap = Heap<Entry>()
    private var sequence: UInt64 = 0

    var nextTime: Int64? { heap.min?.time }

    mutating func plan(_ item: Item, at time: Int64) {
        sequence += 1
        heap.insert(Entry(time: time, sequence: sequence, item: item))
    }

    mutating func takeNext() -> (time: Int64, item: Item)? {
        heap.popMin().map { ($0.time, $0.item) }
    }

    mutating func removeAll() { heap = Heap() }
}
