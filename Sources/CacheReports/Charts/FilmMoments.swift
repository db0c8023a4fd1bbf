import ReplayEngine

/// The choice of the moments that a film strip shows: those at which caches differ most in blank cells, or at which a
/// single cache has the most of them.
///
/// The first choice is the moment at which the page begins: in the tenth of a second after it, the best and the worst
/// cache differ most. Times are microseconds of replay time. Complexity: O(n log n) for n cells.
enum FilmMoments {
    /// The shortest time for which a person sees a difference. Shorter differences are chosen only if there are no
    /// others.
    private static let seen: Int64 = 100_000
    /// Moments are whole hundredths of a second, as on the page.
    private static let step: Int64 = 10_000
    /// The least time between two moments.
    private static let leastGap: Int64 = 1_000_000
    /// Later moments, after more than 35 years, are no candidates.
    private static let latest: Int64 = 1 << 50

    /// A time, up to the next level, in which the numbers of blank cells do not change.
    private struct Level {
        var time: Int64
        /// By film, the blank cells that it has more than the first one.
        var differences: [Int]
        /// The most blank cells of a film minus the fewest.
        var spread: Int
        /// The integral of the spread over the time before the level.
        var areaBefore: Double
    }

    private struct Candidate {
        var time: Int64
        var spread: Int
        /// The integral of the spread over ``seen`` from the time on.
        var area: Double
    }

    /// Returns moments in order of time; none if nothing differs, or if a single film has no blank cell.
    ///
    /// - Parameters:
    ///   - films: The film of the best cache first, and that of the worst one last.
    ///   - absences: The times in which the app is in the background, and nothing is seen.
    ///   - most: The largest number of moments.
    static func chosen(_ films: [Film], absences: [Range<Int64>], most: Int) -> [Int64] {
        guard let best = films.first, let worst = films.last else { return [] }
        let isSingle = films.count == 1
        let nothing = Film([Film.Cell]())
        let pair = levels(isSingle ? [nothing, worst] : [best, worst], absences)
        let all = films.count > 2 ? levels(films, absences) : pair
        var times: [Int64] = []
        if let first = greatest(candidates(pair), isSingle: isSingle) { times.append(first.time) }
        let others = candidates(all)
        let visible = others.filter { $0.area >= Double(seen) }
        let ranked = (visible.isEmpty ? others : visible).sorted { one, other in
            one.area != other.area ? one.area > other.area : one.time < other.time
        }
        let length = (all.last?.time ?? 0) - (all.first?.time ?? 0)
        let gap = max(leastGap, length / 10)
        for candidate in ranked where times.count < most {
            let isApart = times.allSatisfy { abs($0 - candidate.time) >= gap }
            if isApart { times.append(candidate.time) }
        }
        return times.sorted()
    }

    /// Returns the times in which the app is in the background. If no event ends such a time, the next cell that
    /// appears does.
    static func absences(of run: RunResult) -> [Range<Int64>] {
        var absences: [Range<Int64>] = []
        for mark in run.marks where mark.kind == .background {
            let start = mark.time / 1_000
            let foreground = run.marks.first { $0.kind == .foreground && $0.time >= mark.time }
            let cell = run.film?.cells.first { $0.appeared > start }
            let end = min(foreground.map { $0.time / 1_000 } ?? .max, cell?.appeared ?? .max)
            if start < end { absences.append(start..<end) }
        }
        return absences
    }

    /// Returns the first one of the candidates with the largest area, or of a single film with the most blank cells.
    private static func greatest(_ candidates: [Candidate], isSingle: Bool) -> Candidate? {
        var greatest: Candidate?
        for candidate in candidates {
            guard let other = greatest else {
                greatest = candidate
                continue
            }
            let isMore = isSingle ? candidate.spread > other.spread : candidate.area > other.area
            if isMore { greatest = candidate }
        }
        return greatest
    }

    /// A number of blank cells that becomes more or less.
    private struct Change {
        var time: Int64
        /// nil for the absence of the app.
        var film: Int?
        var change: Int
    }

    private static func changes(_ films: [Film], _ absences: [Range<Int64>]) -> [Change] {
        var changes: [Change] = []
        func add(_ film: Int?, from start: Int64, to end: Int64) {
            guard start < end, start < latest else { return }
            changes.append(Change(time: start, film: film, change: 1))
            if end < latest { changes.append(Change(time: end, film: film, change: -1)) }
        }
        for (number, film) in films.enumerated() {
            for cell in film.cells {
                add(number, from: cell.appeared, to: min(cell.delivered ?? .max, cell.vanished ?? .max))
            }
        }
        for absence in absences { add(nil, from: absence.lowerBound, to: absence.upperBound) }
        return changes.sorted { $0.time < $1.time }
    }

    /// Returns the levels in order of time. In the background, nothing differs.
    private static func levels(_ films: [Film], _ absences: [Range<Int64>]) -> [Level] {
        let changes = changes(films, absences)
        let none = [Int](repeating: 0, count: films.count)
        var blank = none
        var absent = 0
        var levels: [Level] = []
        for (index, change) in changes.enumerated() {
            if let film = change.film { blank[film] += change.change } else { absent += change.change }
            if index + 1 < changes.count, changes[index + 1].time == change.time { continue }
            let first = blank[0]
            let differences = absent > 0 ? none : blank.map { $0 - first }
            let last = levels.last
            guard differences != last?.differences ?? none else { continue }
            let spread = (differences.max() ?? 0) - (differences.min() ?? 0)
            let area = last.map { $0.areaBefore + Double($0.spread) * Double(change.time - $0.time) } ?? 0
            levels.append(Level(time: change.time, differences: differences, spread: spread, areaBefore: area))
        }
        return levels
    }

    /// Returns the beginnings of differences, in order of time. A moment is the next hundredth of a second; if nothing
    /// differs then, it is no candidate.
    private static func candidates(_ levels: [Level]) -> [Candidate] {
        var candidates: [Candidate] = []
        var (ending, showing) = (0, 0)
        for level in levels {
            let end = level.time + seen
            while ending + 1 < levels.count, levels[ending + 1].time < end { ending += 1 }
            let moment = (level.time + step - 1) / step * step
            while showing + 1 < levels.count, levels[showing + 1].time <= moment { showing += 1 }
            guard level.spread > 0, levels[showing].spread > 0 else { continue }
            let last = levels[ending]
            let area = last.areaBefore + Double(last.spread) * Double(end - last.time) - level.areaBefore
            candidates.append(Candidate(time: moment, spread: level.spread, area: area))
        }
        return candidates
    }
}
