/// A queue in one array, which grows when it is full. Elements have numbers that count from 0 in the order in which
/// they entered, so an element can be found and replaced while others leave.
///
/// Invariant: element number `n` is at `n` modulo the array's length, which is a power of two.
struct GrowingRing<Element: BitwiseCopyable> {
    private var elements: UncheckedArray<Element>
    /// The number of the oldest element.
    private(set) var start = 0
    private(set) var count = 0

    /// Creates an empty queue. `filler` is any element; it stands where there is none.
    init(filler: Element) { elements = UncheckedArray(repeating: filler, count: 16) }

    /// The number that the next element will have.
    var end: Int { start &+ count }

    /// The oldest element; nil if the queue is empty.
    var first: Element? { count == 0 ? nil : self[start] }

    /// An element by its number. It must be in the queue.
    subscript(number: Int) -> Element {
        get { elements[number & (elements.count &- 1)] }
        nonmutating set { elements[number & (elements.count &- 1)] = newValue }
    }

    /// Takes constant time on average: now and then all elements move to an array of twice the length.
    mutating func append(_ element: Element) {
        if count == elements.count { grow() }
        count &+= 1
        self[end &- 1] = element
    }

    /// The queue must not be empty.
    @discardableResult mutating func removeFirst() -> Element {
        defer {
            start &+= 1
            count &-= 1
        }
        return self[start]
    }

    mutating func removeAll() {
        start = 0
        count = 0
    }

    private mutating func grow() {
        let old = elements
        elements = UncheckedArray(repeating: old.initial, count: 2 * old.count)
        for number in start..<end { self[number] = old[number & (old.count - 1)] }
    }
}
