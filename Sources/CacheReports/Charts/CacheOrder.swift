import Basics

extension ChartOrder {
    /// Returns elements by blank time if that is the order, as ``CacheOrder/byBlankTime(_:_:hits:)`` does. Otherwise they
    /// are in the order of the command, or in that of their names, and stay so.
    func ranked<Element>(
        _ elements: [Element], _ blank: (Element) -> Double?, hits: (Element) -> Double? = { _ in nil }
    ) -> [Element] {
        self == .blank ? CacheOrder.byBlankTime(elements, blank, hits: hits) : elements
    }
}

/// The order of caches in all charts.
enum CacheOrder {
    /// Returns elements by blank time, the least first. Those without a blank time, as with instant timing, are last,
    /// the most hits first. Equal ones keep their order, which is that of the command.
    ///
    /// - Parameters:
    ///   - blank: Returns the share of blank time of an element; nil if it has none.
    ///   - hits: Returns the share of hits; nil if it has none.
    static func byBlankTime<Element>(
        _ elements: [Element], _ blank: (Element) -> Double?, hits: (Element) -> Double? = { _ in nil }
    ) -> [Element] {
        elements.map { element in (element: element, blank: blank(element), hits: hits(element) ?? 0) }
            .stableSorted { one, other in
                guard one.blank != nil || other.blank != nil else { return one.hits > other.hits }
                return one.blank ?? .infinity < other.blank ?? .infinity
            }
            .map { $0.element }
    }
}
