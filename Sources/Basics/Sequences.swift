extension Array {
    /// Returns the elements sorted; equal ones keep their order.
    package func stableSorted(by areInOrder: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { one, other in
            if areInOrder(one.element, other.element) { return true }
            if areInOrder(other.element, one.element) { return false }
            return one.offset < other.offset
        }
        .map(\.element)
    }
}

extension Sequence where Element: Hashable {
    /// Returns the elements without repetition, in the order in which they first occur.
    package func unique() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
