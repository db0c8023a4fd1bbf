import SessionModel

/// The prediction of one recording from another one of the same app, over another link or with other pipeline rules.
///
/// The first recording is replayed without a cache over its estimated link, whose rate is multiplied. The times to
/// image of the replay are compared with those that the second recording shows: from an appearance to the end of the
/// fetch that brought the image. Only images that arrive while their cell is visible count.
public struct RecordingPrediction: Sendable, Equatable {
    public typealias Durations = ConsistencyCheck.Durations

    public var predicted: Durations
    public var recorded: Durations
    /// The number of images shown, in the replay and in the recording.
    public var predictedCount: Int
    public var recordedCount: Int

    /// The largest accepted difference of the medians, as a share of the recorded one. It says how well a replay
    /// predicts a recording; the tolerance for differences between caches is another one.
    public static let tolerance = 0.2

    public var medianError: Double { Self.error(predicted.median, recorded.median) }
    public var p90Error: Double { Self.error(predicted.p90, recorded.p90) }
    public var passes: Bool { abs(medianError) <= Self.tolerance }

    private static func error(_ predicted: Int64, _ recorded: Int64) -> Double {
        Double(predicted - recorded) / Double(max(recorded, 1))
    }

    /// Predicts `other` from `trace`.
    ///
    /// - Parameters:
    ///   - other: The recording whose times are predicted. Its requests are replayed.
    ///   - trace: The recording from which the link and the times of servers are known.
    ///   - linkFactor: The rate of the other link, divided by the rate of the recorded link.
    ///   - rules: Rules of the pipeline of the other recording, such as `connections: 2; order: lifo`.
    /// - Returns: nil if a recording shows no image, or if no link can be estimated for `trace`.
    /// - Throws: `SpecError` for rules that do not exist, ``ReplayError`` for traces that cannot be replayed.
    public init?(of other: Trace, from trace: Trace, linkFactor: Double, rules: String) throws {
        guard case .shared(var model) = try ReplayJob.Network.sharedLink(of: trace) else { return nil }
        model.factor = linkFactor
        let cache = try CacheConfiguration(
            "memory: fifo(1B); store: none; coalesce: false; \(rules)", registry: .builtIn)
        var job = ReplayJob(trace: "recording", cache: cache)
        job.timing = .modelled(.standard)
        job.network = .shared(model)
        let requests = try job.runRecordingRequests(trace).requests
        let replayed = requests.filter { $0.delivered >= 0 }.map { $0.delivered - $0.appeared }.sorted()
        let shown = Self.timesToImage(other).sorted()
        guard !replayed.isEmpty, !shown.isEmpty else { return nil }
        (predicted, recorded) = (Durations(replayed), Durations(shown))
        (predictedCount, recordedCount) = (replayed.count, shown.count)
    }

    /// Returns the times to image that a recording shows, in nanoseconds, in order of the ends of fetches.
    ///
    /// A fetch belongs to the cell of its object that has waited longest when it ends. The recording has no link
    /// between the two.
    static func timesToImage(_ trace: Trace) -> [Int64] {
        enum Mark { case appear(Int), disappear(Int), arrived(Int) }
        var marks: [(time: Int64, mark: Mark)] = []
        for event in trace.events {
            switch event.action {
            case .appear(let object, _): marks.append((event.time, .appear(Int(object))))
            case .disappear(let object, _): marks.append((event.time, .disappear(Int(object))))
            case .fetch(let object, let fetch):
                guard fetch.succeeded, !fetch.isUndecodable, let duration = fetch.duration else { continue }
                marks.append((event.time + duration, .arrived(Int(object))))
            default: break
            }
        }
        // Events at one time keep the order of the file.
        let order = marks.indices.sorted { (marks[$0].time, $0) < (marks[$1].time, $1) }
        var cells: [[(appeared: Int64, hasImage: Bool)]] = Array(repeating: [], count: trace.objects.count)
        var times: [Int64] = []
        for index in order {
            let time = marks[index].time
            switch marks[index].mark {
            case .appear(let object): cells[object].append((time, false))
            case .disappear(let object): if !cells[object].isEmpty { cells[object].removeFirst() }
            case .arrived(let object):
                guard let cell = cells[object].firstIndex(where: { !$0.hasImage }) else { continue }
                cells[object][cell].hasImage = true
                times.append((time - cells[object][cell].appeared) * 1_000)
            }
        }
        return times
    }
}
