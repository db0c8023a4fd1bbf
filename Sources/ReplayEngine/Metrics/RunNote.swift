/// A fact that a reader of a run's figures must know, such as assumed sizes.
public enum RunNote: Codable, Sendable, Hashable {
    /// A warning of the reader of the trace.
    case traceWarning(String)
    /// A program operated the app while the session was recorded.
    case sessionScripted
    /// A model generated the session.
    case sessionSynthetic
    /// Events that the recording lacks were injected, with this text.
    case eventsInjected(String)
    /// No cell of the trace disappears.
    case cellsStay
    /// Durations follow other costs than the standard ones. `changes`: the constants that differ.
    case costs(file: String?, checksum: String, changes: [String])
    case sizesAssumed(objects: Int, of: Int, bytes: Int)
    /// Bodies that were kept while the trace was recorded were fetched and checked.
    case bodiesKept(objects: Int, of: Int)
    case latenciesDrawn(fetches: Int)
    /// The trace has no times from which latencies could be drawn.
    case latenciesAssumed(fetches: Int)
    /// Recorded times may contain waits in the client's queue.
    case queuesHidden
    /// Responses without headers that state a lifetime got the lifetime of the cache's policy.
    case lifetimesAssumed(objects: Int, of: Int)
    /// The cache validates its objects, and the recorded headers have defects.
    case headerDefects(HeaderDefects, of: Int)
    /// Kept bodies were decoded.
    case imagesDecoded(objects: Int, of: Int)
    /// Generated images were decoded in place of bodies that were not kept.
    case generatedImagesDecoded(objects: Int, of: Int)
    /// The cost model gave decoding times in measured timing.
    case decodingModelled(objects: Int, of: Int)
    case pixelSizesAssumed(objects: Int, of: Int)
    /// The disk holds images encoded again, and their sizes are assumed.
    case fileSizesAssumed(objects: Int, of: Int)
    /// The session records sizes of views, which the cache tells apart, and the replay cannot.
    case viewSizesIgnored(SizeRule)
    /// Reads from disk found files that were damaged or missing, although the replay had written them.
    case filesDamaged(reads: Int)
    /// The origin and the replay count different bytes.
    case bytesDisagree(served: Int64, counted: Int64)
    /// The session does not record the order of its list.
    case listOrderInferred
    /// Cells appeared that the recorded order of the list does not have.
    case listIncomplete(appearances: Int)
    /// The cache makes no prefetches on a metered network, and the network is one.
    case prefetchOffOnMetered
    /// A cache of the user's own does not say how many bytes it holds.
    case memoryUnreported
    /// A cache of the user's own freed nothing at memory warnings.
    case warningsUnheeded(Int, of: Int)
    /// The user chose the model of Darwin's NSCache.
    case nsCacheChosen(String)
    /// Defects of a cache of the user's own.
    case cacheFaults([CacheFault])

    /// The subject of a note: notes of one subject are listed together.
    public enum Subject: String, Sendable, CaseIterable {
        case sessions, objects, durations, network, delivery
    }

    public var subject: Subject {
        switch self {
        case .traceWarning, .sessionScripted, .sessionSynthetic, .eventsInjected, .cellsStay, .listOrderInferred,
            .listIncomplete:
            .sessions
        case .sizesAssumed, .bodiesKept, .lifetimesAssumed, .headerDefects, .imagesDecoded, .generatedImagesDecoded,
            .pixelSizesAssumed, .fileSizesAssumed, .viewSizesIgnored:
            .objects
        case .costs, .decodingModelled: .durations
        case .latenciesDrawn, .latenciesAssumed, .queuesHidden, .bytesDisagree, .prefetchOffOnMetered: .network
        case .filesDamaged, .memoryUnreported, .warningsUnheeded, .cacheFaults, .nsCacheChosen: .delivery
        }
    }
}
