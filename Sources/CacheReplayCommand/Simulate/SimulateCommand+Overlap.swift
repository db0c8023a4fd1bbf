import CacheTraces

extension SimulateCommand {
    /// The size of a file from which reading it takes long: 16 MB. A compressed file counts four times.
    private static var longFile: Int { 16_000_000 }

    /// Returns whether the only policy runs while the trace is read, in windows, which takes less time than one after
    /// the other. The figures are the same. With several policies or capacities, all processors are busy after reading.
    ///
    /// A window has neither the end of the trace nor its size, so options that need them exclude it, and so do formats
    /// in which a later request can state the size of an earlier one.
    ///
    /// - Throws: `TraceError` if the file cannot be opened.
    func overlaps(_ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList) throws -> Bool {
        let needsWhole = curve || bounds || sample != nil || sampleSize != nil
        let needsParts = parts.cuts || parts.every != nil || parts.warmup != nil || parts.hits
        guard !needsWhole, !needsParts, streamAbove == nil, jobsOption.threads > 1, policies.count == 1,
            let policy = policies.first, !policy.usesFuture, !policy.text.contains("%"),
            let fixed = try? capacities.fixed(), policy.hasOwnSize || fixed.count == 1
        else { return false }
        // A file of a folder that turns out to be damaged is skipped before any of its rows is planned.
        guard file.isNamed, let size = file.regularSize, size * 4 >= Self.longFile else { return false }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        guard size * (isCompressed ? 4 : 1) >= Self.longFile else { return false }
        return try TraceFormat.statesEverySize(path: file.place, format: input.chosenFormat())
    }
}
