import ReplayEngine

/// The results of one trace, for its charts.
struct ChartInput {
    var trace: String
    var caches: [Series]

    /// One cache with its repeats.
    struct Series {
        var name: String
        var runs: [RunResult]

        /// The run whose mean time to image is the median. Curves show this run, because an average of curves would be
        /// a run that was never made.
        var typical: RunResult {
            let sorted = runs.sorted { ($0.delivered(.all)?.mean ?? 0) < ($1.delivered(.all)?.mean ?? 0) }
            return sorted[(sorted.count - 1) / 2]
        }

        /// Returns the median over the repeats that have a figure.
        func median(_ figure: (RunResult) -> Double?) -> Double? {
            let sorted = runs.compactMap(figure).sorted()
            guard !sorted.isEmpty else { return nil }
            let middle = sorted.count / 2
            return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        }

        /// Returns the sum over all repeats, so that the shares of a bar add up to the whole.
        func total(_ count: (RunResult) -> Int) -> Int {
            runs.reduce(0) { $0 + count($1) }
        }
    }

    /// Returns the inputs in the order in which traces and caches first occur. Every series has at least one run.
    static func byTrace(_ results: [RunResult]) -> [ChartInput] {
        var inputs: [ChartInput] = []
        for result in results {
            let (trace, cache) = (result.identity.trace, result.identity.cache)
            let t = inputs.firstIndex { $0.trace == trace } ?? inputs.endIndex
            if t == inputs.endIndex { inputs.append(ChartInput(trace: trace, caches: [])) }
            if let c = inputs[t].caches.firstIndex(where: { $0.name == cache }) {
                inputs[t].caches[c].runs.append(result)
            } else {
                inputs[t].caches.append(Series(name: cache, runs: [result]))
            }
        }
        return inputs
    }
}
