/// The name that was probably meant: the one fewest edits (Levenshtein) away, where that is at most a third of its
/// length.
package func nearestName(to typed: String, in names: [String]) -> String? {
    let ranked = names.map { (name: $0, edits: edits(from: Array(typed.lowercased()), to: Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= max(2, best.name.count / 3) else {
        return nil
    }
    return best.name
}

private func edits(from a: [Character], to b: [Character]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let substitution = diagonal + (x == y ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
