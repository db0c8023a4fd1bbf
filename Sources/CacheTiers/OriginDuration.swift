extension Duration {
    /// Rounded up, so that a wait is never shorter than asked for.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? Int(Int32.max) : whole + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
