extension PolicyArguments {
    /// A whole number within bounds.
    func integer(_ label: String, in range: ClosedRange<Int>) throws -> Int {
        let number = try integer(label)
        guard range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            let column = spec.arguments.first { $0.label == label }?.column ?? spec.column
            throw context.error("\(label) is \(bounds)", at: column)
        }
        return number
    }

    /// The seed of a policy that draws.
    func seed() throws -> UInt64 { UInt64(truncatingIfNeeded: try integer("seed")) }
}
