extension Duration {
    /// Whole milliseconds, rounded up, so that a wait is never shorter than its limit. At most `Int32.max`, which is
    /// what system calls accept.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return Int(Int32.max) }
        return min(Int(Int32.max), whole + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// Whole microseconds, rounded towards zero.
    public var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    /// Whole nanoseconds, rounded towards zero.
    public var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
