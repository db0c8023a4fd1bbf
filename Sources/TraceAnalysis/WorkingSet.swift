/// The working set: the distinct objects requested in each window of time, in the last ten windows, and since the
/// start.
///
/// The definition comes from P. Denning, "The working set model for program behavior", CACM 11, 1968: the distinct
/// objects referred to within a period, here sampled at the ends of consecutive windows.
public struct WorkingSet: Sendable, Equatable {
    public struct Window: Sendable, Equatable {
        /// The start in microseconds since the trace's first event; without times, in requests since the first.
        public var start: Int64
        /// The number of requests in the window.
        public var requests = 0
        /// The number of distinct objects in the window.
        public var objects = 0
        /// The known bytes of the distinct objects in the window.
        public var bytes = 0
        /// The number of distinct objects in this window and the nine before it.
        public var recentObjects = 0
        /// The known bytes of the distinct objects in this window and the nine before it.
        public var recentBytes = 0
        /// The number of distinct objects since the start of the trace.
        public var cumulativeObjects = 0
        /// The known bytes of the distinct objects since the start of the trace.
        public var cumulativeBytes = 0
    }

    public private(set) var windows: [Window] = []
    /// The length of a window in microseconds, or in requests if the trace has no times.
    public private(set) var windowLength: Int64
    /// Whether windows are measured in time. Without times they are measured in requests.
    public private(set) var isOfTime: Bool

    /// The largest number of windows.
    public static let mostWindows = 240
    /// The number of windows that count as recent.
    public static let recent = 10

    /// Counts the objects of a log.
    public init(_ log: RequestLog) {
        isOfTime = log.hasTimes
        let start = isOfTime ? log.span.lowerBound : 0
        let length = isOfTime ? log.span.upperBound - start : Int64(log.count)
        windowLength =
            isOfTime
            ? WindowLength.fitting(length, atMost: Self.mostWindows)
            : WindowLength.round(length / Int64(Self.mostWindows) + 1)
        guard log.count > 0 else { return }
        windows = (0...Int(max(0, isOfTime ? length : length - 1) / windowLength)).map {
            Window(start: Int64($0) * windowLength)
        }
        var lastWindow = [Int32](repeating: -1, count: log.objectCount)
        for (index, object) in log.objects.enumerated() {
            let number = Int((isOfTime ? log.times[index] - start : Int64(index)) / windowLength)
            let seen = lastWindow[Int(object)]
            windows[number].requests += 1
            guard seen != number else { continue }
            lastWindow[Int(object)] = Int32(number)
            let bytes = max(0, log.sizes[Int(object)])
            windows[number].objects += 1
            windows[number].bytes += bytes
            // The object is in the recent set for `recent` windows from here, or from the end of its last membership.
            let entry = seen < 0 ? number : max(number, Int(seen) + Self.recent)
            count(1, bytes, from: entry)
            count(-1, -bytes, from: number + Self.recent)
            guard seen < 0 else { continue }
            windows[number].cumulativeObjects += 1
            windows[number].cumulativeBytes += bytes
        }
        for index in windows.indices.dropFirst() {
            windows[index].recentObjects += windows[index - 1].recentObjects
            windows[index].recentBytes += windows[index - 1].recentBytes
            windows[index].cumulativeObjects += windows[index - 1].cumulativeObjects
            windows[index].cumulativeBytes += windows[index - 1].cumulativeBytes
        }
    }

    private mutating func count(_ objects: Int, _ bytes: Int, from window: Int) {
        guard window < windows.count else { return }
        windows[window].recentObjects += objects
        windows[window].recentBytes += bytes
    }

    /// Returns the highest value of a figure over all windows.
    public func peak(_ figure: KeyPath<Window, Int>) -> Int { windows.map { $0[keyPath: figure] }.max() ?? 0 }

    /// Returns the mean of a figure over all windows. A window without requests counts as 0.
    public func mean(_ figure: KeyPath<Window, Int>) -> Double {
        windows.isEmpty ? 0 : Double(windows.reduce(0) { $0 + $1[keyPath: figure] }) / Double(windows.count)
    }
}

/// Round lengths of windows.
enum WindowLength {
    /// Returns the smallest number of the series 1, 2, 5, 10, 20 … that is at least `count`.
    static func round(_ count: Int64) -> Int64 {
        var power: Int64 = 1
        while power * 10 < count { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= count } ?? count
    }

    private static let second: Int64 = 1_000_000

    /// Returns the shortest round window length with which at most `most` windows cover `duration`, both in
    /// microseconds. Round lengths are 1, 2, 5, 10 … milliseconds, then round numbers of seconds, minutes and hours,
    /// then whole days.
    static func fitting(_ duration: Int64, atMost most: Int) -> Int64 {
        let small = [1, 10, 100].flatMap { power in [1, 2, 5].map { Int64(power * $0) * 1_000 } }
        let seconds: [Int64] = [
            1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200,
        ]
        let choices = small + seconds.map { $0 * second }
        let day = 86_400 * second
        return choices.first { duration / $0 < Int64(most) } ?? (duration / (Int64(most) * day) + 1) * day
    }
}
