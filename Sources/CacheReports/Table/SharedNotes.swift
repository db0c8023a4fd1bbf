import ReplayEngine

/// The notes of runs, each once, with whom it concerns in front where that is not everybody.
enum SharedNotes {
    static func notes(_ results: [RunResult]) -> [String] {
        var order: [RunNote] = []
        var concerned: [RunNote: [RunIdentity]] = [:]
        for result in results {
            for note in result.notes {
                if concerned[note] == nil { order.append(note) }
                if concerned[note]?.last != result.identity { concerned[note, default: []].append(result.identity) }
            }
        }
        let all = results.map(\.identity)
        return order.map { note in
            let runs = concerned[note] ?? []
            return runs.count == all.count ? note.text : "\(whom(runs, among: all)): \(note.text)"
        }
    }

    /// Whole traces by their names, else the first few caches.
    private static func whom(_ runs: [RunIdentity], among all: [RunIdentity]) -> String {
        let traces = unique(all.map(\.trace))
        let names = traces.flatMap { trace -> [String] in
            let caches = unique(runs.filter { $0.trace == trace }.map(\.cache))
            let isWhole =
                traces.count > 1 && caches.count == unique(all.filter { $0.trace == trace }.map(\.cache)).count
            if isWhole { return [trace] }
            return caches.map { traces.count > 1 ? "\($0) on \(trace)" : $0 }
        }
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
