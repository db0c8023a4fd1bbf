import Basics
import ResultColumns

extension ChartOrder {
    /// Returns elements in the order of the tables, ``ResultOrder/standard``, if the order is that of blank time.
    /// Otherwise they are in the order of the command, or in that of their names, and stay so.
    ///
    /// - Parameters:
    ///   - name: Returns the name of the cache of an element.
    ///   - blank: Returns the blank time; nil for none.
    ///   - hits: Returns the share of hits, which decides where no element has a blank time; nil for none.
    ///   - text: Returns the text of a figure. Figures that read the same are a tie.
    func ranked<Element>(
        _ elements: [Element], by name: (Element) -> String, _ blank: (Element) -> Double?,
        hits: (Element) -> Double? = { _ in nil }, text: (Double) -> String = HumanText.share
    ) -> [Element] {
        guard self == .blank else { return elements }
        let hasBlank = elements.contains { blank($0) != nil }
        let polarity = hasBlank ? Polarity.lowerIsBetter : .higherIsBetter
        return ResultOrder.standard.ordered(elements, by: name, polarity) { element -> ResultOrder.Figure? in
            guard let value = hasBlank ? blank(element) : hits(element) else { return nil }
            return (value, text(value))
        }
    }
}
