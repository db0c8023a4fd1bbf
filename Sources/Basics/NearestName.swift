/// Returns the name that a mistyped name most likely stands for, or nil if no name is similar enough.
///
/// Similarity is the number of edits: insertions, deletions, substitutions and swaps of neighbouring letters
/// (restricted Damerau-Levenshtein distance), without regard to case. A name qualifies if at most a third of its
/// letters are edited, and at least one edit is always allowed. A text of more than 256 bytes is near no name.
///
/// - Complexity: O(*n* · *m*) for each name, where *n* and *m* are the lengths of the two names.
public func nearestName(to typed: String, among names: some Sequence<String>) -> String? {
    // No name is near a text of this length, which can be a whole file.
    guard typed.utf8.count <= 256 else { return nil }
    let typedLetters = Array(typed.lowercased())
    let ranked = names.map { (name: $0, edits: edits(from: typedLetters, to: Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= max(1, best.name.count / 3) else {
        return nil
    }
    return best.name
}

private func edits(from one: [Character], to other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (i, letter) in one.enumerated() {
        var row = [i + 1]
        row.reserveCapacity(other.count + 1)
        for (j, otherLetter) in other.enumerated() {
            let substitution = last[j] + (letter == otherLetter ? 0 : 1)
            var best = min(substitution, last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, letter == other[j - 1], one[i - 1] == otherLetter {
                best = min(best, beforeLast[j - 1] + 1)
            }
            row.append(best)
        }
        (beforeLast, last) = (last, row)
    }
    return last[other.count]
}
