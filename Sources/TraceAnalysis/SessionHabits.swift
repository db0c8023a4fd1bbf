import Foundation
import SessionModel

/// How the person of a session scrolls, pauses, visits and returns, in the terms in which people were observed.
///
/// Lists at rest are what readers' logs contain: a *scroll* is a movement in one direction, whose parts are at most
/// 0.25 s apart; a *pause* is a time of at least 1 s from the end of one scroll to the end of the next one; a *burst*
/// is a series of scrolls without a pause. A *visit* is the time in the app without an absence of 30 minutes or more.
/// Times between visits count in no figure of scrolling. A picture is *opened* if its full image appears while the list
/// is at rest, and the list shows this picture already or consists of thumbnails.
///
/// An absence begins when the app leaves the foreground or ends. It ends when the app returns, or with the next cell
/// that appears: the page of a browser is closed without leaving the foreground, and opened again.
public struct SessionHabits: Sendable, Equatable {
    /// The seconds of each visit, without its absences.
    public private(set) var visits: [Double] = []
    /// The hours between visits.
    public private(set) var gaps: [Double] = []
    /// The visits of each day that has one; days have 24 hours and begin with the session.
    public private(set) var visitsPerDay: [Double] = []
    /// The seconds between the ends of scrolls within a visit.
    public private(set) var intervals: [Double] = []
    /// The autocorrelation of the logarithms of these times, one for each stay in the foreground with at least eight.
    public private(set) var autocorrelations: [Double] = []
    /// The signed points of each scroll. Scrolls of a moving list that is refreshed are not counted.
    public private(set) var scrolls: [Double] = []
    /// The points per second at which the list was released.
    public private(set) var releases: [Double] = []
    /// The seconds of drags that end with a release.
    public private(set) var drags: [Double] = []
    /// The seconds in the foreground.
    public private(set) var foreground = 0.0
    /// The seconds in which the list moves, faster than 20 points per second.
    public private(set) var moving = 0.0
    /// The points travelled, and the part of them over ground that the list had covered before.
    public private(set) var travelled = 0.0
    public private(set) var retravelled = 0.0
    /// The view cells that appeared.
    public private(set) var appearances = 0

    /// Whether the list is a feed, whose items have a good part of a screen each: the person travels at least a quarter
    /// of a screen for each cell that appears. In the model, it is 0.57 of one in a feed, 0.11 in a chat and in a
    /// search, and 0.05 in a grid of three columns.
    public var isOfFeed: Bool { travelled > 0 && travelled >= Double(appearances) * Self.screen / 4 }

    /// The returns to lists that are at their top then.
    public private(set) var returns: [Return] = []
    /// The pictures that are opened in each visit with any.
    public private(set) var openings: [Double] = []
    /// The opened pictures that the session had opened before.
    public private(set) var reopenings = 0.0
    /// The encoded bytes and the millions of pixels of the full images.
    public private(set) var bytes: [Double] = []
    public private(set) var megapixels: [Double] = []
    /// The milliseconds to the first byte of successful fetches.
    public private(set) var firstBytes: [Double] = []

    /// A return to the app.
    public struct Return: Sendable, Equatable {
        /// The hours of the absence.
        public var hours: Double
        /// The share of known pictures among the first twelve that appear after it.
        public var share: Double
    }

    /// The pictures that are counted after a return.
    private static let viewed = 12
    /// The most points from the place of rest to the first event of a movement.
    private static let farthestStart = 600.0
    /// The shortest time between visits, in microseconds.
    private static let shortestGap: Int64 = 1_800_000_000

    /// Measures a session.
    ///
    /// - Returns: nil if the session has no scroll events.
    public init?(_ trace: Trace) {
        guard trace.events.contains(where: { if case .scroll = $0.action { true } else { false } }) else { return nil }
        collectVisits(trace)
        collectMovement(trace)
        collectReturns(trace)
        collectOpenings(trace)
        collectPictures(trace)
    }

    private mutating func collectVisits(_ trace: Trace) {
        guard let first = trace.events.first, let last = trace.events.last else { return }
        var (begin, absent) = (first.time, Int64(0))
        var left: Int64?
        var days: [Int64: Double] = [:]
        func end(_ habits: inout Self, at time: Int64) {
            let seconds = Double(time - begin - absent) / 1e6
            habits.visits.append(seconds)
            habits.foreground += seconds
            days[(begin - first.time) / 86_400_000_000, default: 0] += 1
        }
        for event in trace.events {
            switch event.action {
            case .background, .terminate: left = left ?? event.time
            case .foreground, .appear:
                guard let leaving = left else { continue }
                left = nil
                let away = event.time - leaving
                if away < Self.shortestGap {
                    absent += away
                } else {
                    end(&self, at: leaving)
                    gaps.append(Double(away) / 3.6e9)
                    (begin, absent) = (event.time, 0)
                }
            default: break
            }
        }
        end(&self, at: left ?? last.time)
        visitsPerDay = days.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func collectMovement(_ trace: Trace) {
        var ground: ClosedRange<Double>?
        var before: (time: Int64, phase: ScrollPhase, offset: Double, velocity: Double)?
        var scroll: (end: Int64, distance: Double)?
        var lastEnd: Int64?
        var touched: Int64?
        var intervalsBefore = 0
        func close(_ habits: inout Self) {
            guard let done = scroll else { return }
            if let lastEnd { habits.intervals.append(Double(done.end - lastEnd) / 1e6) }
            habits.scrolls.append(done.distance)
            lastEnd = done.end
            scroll = nil
        }
        for event in trace.events {
            switch event.action {
            case .scroll(let phase, let offset, let velocity):
                if phase == .dragged, before?.phase != .dragged { touched = event.time }
                if phase == .decelerating, before?.phase == .dragged, let start = touched {
                    releases.append(abs(velocity))
                    drags.append(Double(event.time - start) / 1e6)
                }
                if let before, before.phase != .atRest {
                    let step = offset - before.offset
                    let seconds = Double(event.time - before.time) / 1e6
                    if seconds > 0, abs(step) / seconds >= 20 { moving += seconds }
                    if abs(step) >= 1 {
                        cover(from: before.offset, to: offset, &ground)
                        if let current = scroll,
                            current.distance * step < 0 || before.time - current.end > 250_000
                        {
                            close(&self)
                        }
                        scroll = (event.time, (scroll?.distance ?? 0) + step)
                    }
                } else if let rest = before, phase != .atRest, abs(offset - rest.offset) <= Self.farthestStart {
                    // The first event of a movement in a browser is some points from the rest.
                    if abs(offset - rest.offset) >= 1 {
                        cover(from: rest.offset, to: offset, &ground)
                        close(&self)
                        scroll = (event.time, offset - rest.offset)
                    }
                } else if before?.offset != offset {
                    // Another list, or the same one at another place.
                    close(&self)
                    ground = nil
                }
                before = (event.time, phase, offset, velocity)
            case .background, .terminate:
                close(&self)
                addAutocorrelation(intervals[intervalsBefore...])
                intervalsBefore = intervals.count
                (before, lastEnd, touched) = (nil, nil, nil)
            case .appear: appearances += 1
            default: break
            }
        }
        close(&self)
        addAutocorrelation(intervals[intervalsBefore...])
    }

    private mutating func addAutocorrelation(_ intervals: ArraySlice<Double>) {
        guard intervals.count >= 8 else { return }
        // Times are whole microseconds.
        let logs = intervals.map { log(max($0, 1e-6)) }
        let mean = logs.reduce(0, +) / Double(logs.count)
        let deviations = logs.map { $0 - mean }
        let variance = deviations.reduce(0) { $0 + $1 * $1 }
        guard variance > 0 else { return }
        autocorrelations.append(zip(deviations, deviations.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / variance)
    }

    private mutating func cover(from start: Double, to end: Double, _ ground: inout ClosedRange<Double>?) {
        let covered = ground ?? start...start
        travelled += abs(end - start)
        let (low, high) = (min(start, end), max(start, end))
        retravelled += max(0, min(high, covered.upperBound) - max(low, covered.lowerBound))
        ground = min(low, covered.lowerBound)...max(high, covered.upperBound)
    }

    private mutating func collectReturns(_ trace: Trace) {
        var seen = [Bool](repeating: false, count: trace.objects.count)
        var left: Int64?
        var pending: (hours: Double, isAtTop: Bool?, objects: [Int])?
        func close(_ habits: inout Self) {
            if let done = pending, done.isAtTop == true, !done.objects.isEmpty {
                let known = done.objects.count { seen[$0] }
                habits.returns.append(
                    Return(hours: done.hours, share: Double(known) / Double(done.objects.count)))
            }
            for object in pending?.objects ?? [] { seen[object] = true }
            pending = nil
        }
        for event in trace.events {
            switch event.action {
            case .background, .terminate:
                close(&self)
                left = left ?? event.time
            case .foreground:
                if let left { pending = (Double(event.time - left) / 3.6e9, nil, []) }
                left = nil
            case .scroll(_, let offset, _):
                if pending?.isAtTop == nil { pending?.isAtTop = offset == 0 }
            case .appear(let object, _):
                if let absence = left {
                    pending = (Double(event.time - absence) / 3.6e9, nil, [])
                    left = nil
                }
                if let current = pending, current.objects.count < Self.viewed {
                    if !current.objects.contains(Int(object)) { pending?.objects.append(Int(object)) }
                } else {
                    if pending != nil { close(&self) }
                    seen[Int(object)] = true
                }
            default: break
            }
        }
        close(&self)
    }

    private mutating func collectOpenings(_ trace: Trace) {
        var shown = [Int](repeating: 0, count: trace.objects.count)
        var candidates: [(visit: Int, object: Int, isShown: Bool)] = []
        var (isAtRest, hasThumbnails, scrollsFullImages) = (true, false, false)
        var visit = 0
        var left: Int64?
        for event in trace.events {
            switch event.action {
            case .scroll(let phase, _, _): isAtRest = phase == .atRest
            case .background, .terminate:
                left = left ?? event.time
                isAtRest = true
            case .foreground:
                if let left, event.time - left >= Self.shortestGap { visit += 1 }
                left = nil
            case .appear(let object, let variant):
                if let absence = left {
                    if event.time - absence >= Self.shortestGap { visit += 1 }
                    left = nil
                }
                if variant == .thumbnail {
                    hasThumbnails = true
                } else if isAtRest {
                    candidates.append((visit, Int(object), shown[Int(object)] > 0))
                } else {
                    scrollsFullImages = true
                }
                shown[Int(object)] += 1
            case .disappear(let object, _): shown[Int(object)] -= 1
            default: break
            }
        }
        let isOfThumbnails = hasThumbnails && !scrollsFullImages
        var opened: Set<Int> = []
        var counts: [Int: Double] = [:]
        for candidate in candidates where candidate.isShown || isOfThumbnails {
            if !opened.insert(candidate.object).inserted { reopenings += 1 }
            counts[candidate.visit, default: 0] += 1
        }
        openings = counts.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func collectPictures(_ trace: Trace) {
        var isFull = [Bool](repeating: false, count: trace.objects.count)
        for event in trace.events {
            switch event.action {
            case .appear(let object, .full): isFull[Int(object)] = true
            case .fetch(_, let fetch):
                if fetch.succeeded, let time = fetch.timeToFirstByte { firstBytes.append(Double(time) / 1e3) }
            default: break
            }
        }
        for (object, isFull) in zip(trace.objects, isFull) where isFull {
            if let size = object.bytes { bytes.append(Double(size)) }
            if let width = object.pixelWidth, let height = object.pixelHeight {
                megapixels.append(Double(width) * Double(height) / 1e6)
            }
        }
    }
}
