import Basics
import SessionModel

/// Generates all visits of one person to the app, as one session.
///
/// A visit has bursts of gestures with pauses between them. A pause runs from a release to the next touch, which
/// catches a list that still moves. Between visits, the app is in the background or has been ended.
struct PersonSession<Sink: SynthesisSink> {
    let model: PeopleModel
    let person: Person
    var screen: SyntheticScreen<Sink>
    var lists: PersonLists
    /// The random numbers of gestures, of visits and of the system.
    var gestures: RandomStream
    var visits: RandomStream
    var system: RandomStream
    /// The speed of the list at the last touch, in points per second, with its direction.
    var moving = 0.0
    var wentBack = false
    /// The end of the visit in microseconds.
    var visitEnd: Int64 = 0
    /// The microseconds in the foreground until the next memory warning; nil for never.
    var untilWarning: Int64?

    init(_ model: PeopleModel, person number: Int, sink: Sink) throws {
        self.model = model
        person = Person(model, number: number)
        let layout = model.app.layout
        let network = SyntheticNetwork(
            person.network, connections: Int(model[.connections]), serverErrors: model[.serverErrors],
            seed: person.seed)
        screen = SyntheticScreen(
            geometry: ListGeometry(
                columns: layout.columns, rowHeight: layout.rowHeight, viewport: person.phone.height, count: 0),
            prefetchRows: Int(model[.prefetchRows]),
            recorder: try SyntheticRecorder(
                PersonPictures(model, person), network, person.header(model), requests: model.requests ?? .max, sink))
        lists = PersonLists(model, seed: person.seed)
        gestures = RandomStream(seed: person.seed, name: "gestures")
        visits = RandomStream(seed: person.seed, name: "visits")
        system = RandomStream(seed: person.seed, name: "system")
        untilWarning = nextWarning()
    }

    /// Generates the visits. The session begins with the first one, which is within the usual gap after the beginning
    /// of the first day.
    mutating func run() throws {
        let end = Int64(model.days) * 86_400_000_000
        let skipped = Int64(visits.uniform() * gap() * 1e6)
        try showList(after: nil)
        while true {
            try visit()
            let away = gap()
            guard !screen.isDone, skipped + screen.now + Int64(away * 1e6) < end else { break }
            try leave(for: away)
        }
        try screen.finish()
    }

    /// Returns the seconds between two visits.
    private mutating func gap() -> Double {
        for _ in 0..<1_000 {
            let hours = visits.logNormal(median: model[.visitGap], spread: model[.visitGapSpread])
            if hours >= model[.shortestGap] { return hours * 3_600 }
        }
        return model[.shortestGap] * 3_600
    }

    /// Generates one visit: bursts until its time is over, with short absences.
    private mutating func visit() throws {
        let begin = screen.now
        let length = visits.logNormal(median: model[.visitLength], spread: model[.visitSpread])
        visitEnd = begin + Int64(length * 1e6)
        var absences = (0..<visits.geometric(mean: model[.absences])).map { _ in
            begin + Int64(visits.uniform() * length * 1e6)
        }.sorted(by: >)
        var searches = model.app == .search ? visits.geometric(mean: model[.searchQueries] - 1) : 0
        let searchTime = (visitEnd - begin) / Int64(searches + 1)
        try pause()
        while screen.now < visitEnd, !screen.isDone {
            let before = screen.now
            try burst()
            if gestures.chance(model[.openChance]), screen.now < visitEnd, !screen.isDone { try open() }
            try warn(after: screen.now - before)
            if let absence = absences.last, screen.now >= absence {
                absences.removeLast()
                let seconds = visits.logNormal(median: model[.absenceLength], spread: model[.absenceSpread])
                try leave(for: seconds)
                visitEnd += Int64(seconds * 1e6)
            }
            if searches > 0, screen.now >= visitEnd - searchTime * Int64(searches), screen.now < visitEnd {
                searches -= 1
                try search()
            }
        }
    }

    // MARK: Lists

    /// Shows the list of the app from its top.
    private mutating func showList(after seconds: Double?) throws {
        moving = 0
        wentBack = false
        if model.app == .search { return try search() }
        lists.refresh(after: seconds)
        try screen.show(lists.items)
    }

    /// Types a search, with other results after each keystroke.
    private mutating func search() throws {
        moving = 0
        let keystrokes = 1 + visits.geometric(mean: model[.searchKeystrokes] - 1)
        for results in lists.search(keystrokes: keystrokes, random: &visits) {
            try screen.show(results)
            screen.wait(visits.uniform(0.15...0.45))
        }
    }

    /// Makes the list long enough for any gesture.
    private mutating func extendList() throws {
        let needed = screen.visible.upperBound + screen.geometry.columns * 150
        guard model.app == .feed, screen.geometry.count < needed else { return }
        lists.extend(to: needed * 2)
        screen.content = lists.items
        screen.geometry.count = lists.items.count
    }

    /// Leaves the app and returns. The list is where it was, or refreshed and at its top.
    private mutating func leave(for seconds: Double) throws {
        try screen.recorder.add(.background, at: screen.now)
        let isEnded = system.chance(seconds / (seconds + model[.endedHalfTime]))
        if isEnded {
            screen.wait(min(5, seconds / 2))
            try screen.clear()
            try screen.recorder.terminate(at: screen.now)
            screen.wait(seconds - min(5, seconds / 2))
        } else {
            screen.wait(seconds)
        }
        try screen.recorder.add(.foreground, at: screen.now)
        moving = 0
        let isKept = !isEnded && seconds <= model[.positionKeptTime] && system.chance(model[.positionKept])
        if !isKept { try showList(after: seconds) }
    }

    // MARK: The system

    private mutating func nextWarning() -> Int64? {
        let hourly = person.phone.hasLittleMemory ? model[.warningsLittleMemory] : model[.warnings]
        // A century is later than any end, and fits.
        return hourly > 0 ? Int64(min(system.exponential(mean: 3_600 / hourly), 3.2e9) * 1e6) : nil
    }

    /// Adds the memory warning that is due after some microseconds in the foreground: a burst, and the picture that is
    /// opened after it.
    ///
    /// The time to the next warning counts from the end of this time, which has at most one warning. The rest of it
    /// after the warning is lost. This is some 15 seconds: 1 % of the time at two warnings per hour, and more than a
    /// quarter at 100. Another count would change the sessions of ``PeopleModel/version`` 1.
    private mutating func warn(after microseconds: Int64) throws {
        guard let left = untilWarning else { return }
        guard left <= microseconds else {
            untilWarning = left - microseconds
            return
        }
        try screen.recorder.add(.memoryWarning, at: screen.now)
        untilWarning = nextWarning()
    }

    // MARK: Gestures

    private mutating func pause() throws {
        try coast(for: pauseLength())
    }

    private mutating func pauseLength() -> Double {
        gestures.logNormal(median: model[.pause] * person.pace, spread: model[.pauseSpread])
    }

    /// Makes the gestures of one burst, and the pause after it.
    private mutating func burst() throws {
        try extendList()
        var isBack = gestures.chance(wentBack ? model[.backAfterBack] : model[.backAfterForward])
        if screen.offset <= 0 { isBack = false }
        if screen.offset >= screen.geometry.end, screen.offset > 0 { isBack = true }
        wentBack = isBack
        var count = 1
        while count < 50, !gestures.chance(model[.oneGesture]) { count += 1 }
        if isBack {
            let exact = Double(count) * model[.backFactor]
            count = max(1, Int(exact) + (gestures.chance(exact - exact.rounded(.down)) ? 1 : 0))
        }
        for gesture in 1...count where screen.now < visitEnd {
            try self.gesture(isBack ? -1 : 1)
            try coast(
                for: gesture == count
                    ? pauseLength()
                    : gestures.logNormal(median: model[.gapInBurst], spread: model[.gapInBurstSpread]))
        }
    }

    /// Touches and drags the list, and releases it with or without momentum.
    private mutating func gesture(_ direction: Double) throws {
        try screen.report(.dragged, velocity: 0)
        let start = screen.offset
        if gestures.chance(model[.dragOnlyShare]) {
            let time = gestures.logNormal(median: model[.dragOnlyTime], spread: model[.dragSpread])
            let drawn = gestures.logNormal(median: model[.dragOnlyDistance], spread: model[.dragOnlySpread])
            let speed = direction * min(0.8, drawn) * screen.geometry.viewport / time
            try screen.move(.dragged, for: time) { (start + speed * $0, speed) }
            moving = 0
            return
        }
        let time = gestures.logNormal(median: model[.drag], spread: model[.dragSpread])
        let isHard = gestures.chance(model[.hardShare])
        let speed = min(
            model[.fastestRelease],
            isHard
                ? gestures.logNormal(median: model[.hardSpeed], spread: model[.hardSpeedSpread])
                : gestures.logNormal(median: model[.releaseSpeed], spread: model[.releaseSpeedSpread]))
        let carried = person.phone.system.carried(speed, moving: max(0, moving * direction))
        let velocity = direction * speed
        try screen.move(.dragged, for: time) { (start + velocity * $0 * $0 / (2 * time), velocity * $0 / time) }
        moving = direction * carried
    }

    /// Lets the list move on for up to `seconds`, until the next touch or the end of the visit.
    private mutating func coast(for seconds: Double) throws {
        let limit = min(seconds, max(0, Double(visitEnd - screen.now) / 1e6))
        let system = person.phone.system
        let (speed, direction) = (abs(moving), moving < 0 ? -1.0 : 1.0)
        let duration = system.duration(speed)
        let released = screen.offset
        let isAtEnd = direction > 0 ? released >= screen.geometry.end : released <= 0
        guard speed > 0, duration > 0, !isAtEnd else {
            if moving == 0 || isAtEnd { try screen.report(.atRest, velocity: 0) }
            moving = 0
            screen.wait(limit)
            return
        }
        try screen.report(.decelerating, velocity: moving)
        let begin = screen.now
        try screen.move(.decelerating, for: min(duration, limit)) { time in
            let state = system.state(after: time, from: speed)
            return (released + direction * state.travelled, direction * state.speed)
        }
        let passed = Double(screen.now - begin) / 1e6
        if passed < limit {
            // The list has come to rest, by itself or at its end.
            try screen.report(.atRest, velocity: 0)
            moving = 0
            screen.wait(limit - passed)
        } else {
            moving = direction * system.state(after: passed, from: speed).speed
        }
    }

    /// Opens a visible picture, and in a gallery those beside it.
    private mutating func open() throws {
        let candidates = screen.visible.filter {
            model.app != .chat || screen.content[$0].variant == .full
        }
        guard !candidates.isEmpty else { return }
        // The touch stops the list.
        if moving != 0 { try screen.report(.atRest, velocity: 0) }
        moving = 0
        var page = candidates[gestures.index(below: candidates.count)]
        var shown = page..<page
        try screen.showPages(&shown, page..<page + 1)
        screen.wait(gestures.logNormal(median: model[.look], spread: model[.lookSpread]))
        while model.app == .gallery, page + 1 < screen.geometry.count, screen.now < visitEnd,
            gestures.chance(model[.swipeChance])
        {
            // Both pages are visible while the list turns, for about 0.3 s.
            try screen.showPages(&shown, page..<page + 2)
            screen.wait(0.3)
            page += 1
            try screen.showPages(&shown, page..<page + 1)
            screen.wait(gestures.logNormal(median: model[.look], spread: model[.lookSpread]))
        }
        try screen.showPages(&shown, page..<page)
    }
}
