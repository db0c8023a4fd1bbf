import SessionModel

/// A fact that a reader of a run's figures must know, such as assumed sizes. Reports render it last, by ``text``.
public enum RunNote: Codable, Sendable, Hashable {
    /// A warning of the reader of the trace.
    case traceWarning(String)
    /// A program operated the app while the session was recorded.
    case sessionScripted
    /// A model generated the session.
    case sessionSynthetic
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
    /// Responses without headers that state a lifetime got that of the cache's policy.
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
    /// Reads from disk found files that were damaged or missing, although the replay had written them.
    case filesDamaged(reads: Int)
    /// The replay on a wall clock could not keep up with the trace.
    case clockLagged(ClockLag)
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
    case nsCacheChosen(ChosenNSCache)
    /// Defects of a cache of the user's own.
    case cacheFaults([CacheFault])

    /// The subject of a note: notes of one subject are listed together.
    public enum Subject: String, Sendable, CaseIterable {
        case sessions, objects, durations, network, delivery
    }

    public var subject: Subject {
        switch self {
        case .traceWarning, .sessionScripted, .sessionSynthetic, .cellsStay, .listOrderInferred, .listIncomplete:
            .sessions
        case .sizesAssumed, .bodiesKept, .lifetimesAssumed, .headerDefects, .imagesDecoded, .generatedImagesDecoded,
            .pixelSizesAssumed:
            .objects
        case .costs, .clockLagged, .decodingModelled: .durations
        case .latenciesDrawn, .latenciesAssumed, .queuesHidden, .bytesDisagree, .prefetchOffOnMetered: .network
        case .filesDamaged, .memoryUnreported, .warningsUnheeded, .cacheFaults, .nsCacheChosen: .delivery
        }
    }

    /// The note as sentences.
    public var text: String { text(most: "") }

    /// Whether two notes say the same with other figures.
    public func isLike(_ other: RunNote) -> Bool {
        switch (self, other) {
        case (.sizesAssumed, .sizesAssumed), (.bodiesKept, .bodiesKept), (.latenciesDrawn, .latenciesDrawn),
            (.latenciesAssumed, .latenciesAssumed), (.lifetimesAssumed, .lifetimesAssumed),
            (.imagesDecoded, .imagesDecoded), (.generatedImagesDecoded, .generatedImagesDecoded),
            (.decodingModelled, .decodingModelled), (.pixelSizesAssumed, .pixelSizesAssumed),
            (.headerDefects, .headerDefects), (.filesDamaged, .filesDamaged), (.cacheFaults, .cacheFaults),
            (.clockLagged, .clockLagged), (.bytesDisagree, .bytesDisagree), (.listIncomplete, .listIncomplete),
            (.warningsUnheeded, .warningsUnheeded):
            true
        default: self == other
        }
    }

    /// The figure by which notes that are alike are compared.
    private var magnitude: Double {
        switch self {
        case .sizesAssumed(let count, _, _), .bodiesKept(let count, _), .latenciesDrawn(let count),
            .latenciesAssumed(let count), .lifetimesAssumed(let count, _), .imagesDecoded(let count, _),
            .generatedImagesDecoded(let count, _), .decodingModelled(let count, _), .pixelSizesAssumed(let count, _),
            .filesDamaged(let count), .listIncomplete(let count), .warningsUnheeded(let count, _):
            Double(count)
        case .headerDefects(let defects, _): Double(defects.total)
        case .clockLagged(let lag): lag.lateShare
        case .bytesDisagree(let served, let counted): Double((served - counted).magnitude)
        case .cacheFaults(let faults): Double(faults.reduce(0) { $0 + $1.count })
        case .traceWarning, .sessionScripted, .sessionSynthetic, .cellsStay, .costs, .queuesHidden, .memoryUnreported,
            .listOrderInferred, .prefetchOffOnMetered, .nsCacheChosen:
            0
        }
    }

    /// Returns one text for notes that are alike: that of the largest figure, with "up to" before it.
    public static func text(ofLike notes: [RunNote]) -> String {
        guard let most = notes.max(by: { $0.magnitude < $1.magnitude }) else { return "" }
        return most.text(most: Set(notes).count > 1 ? "up to " : "")
    }

    /// - Parameter most: What precedes the first figure.
    private func text(most: String) -> String {
        let text = plainText
        guard !most.isEmpty else { return text }
        return text.first?.isNumber == true ? most.prefix(1).uppercased() + most.dropFirst() + text : "At most: \(text)"
    }

    private var plainText: String {
        switch self {
        case .traceWarning(let text): text
        case .sessionScripted: "The session was recorded while a program operated the app, not a person."
        case .sessionSynthetic: "The session was generated by a model, not recorded."
        case .cellsStay:
            """
            The trace records no disappearance of a cell, so each cell counts as visible until the end. Blank times, \
            and the memory of a cache that holds what visible cells show, rest on this assumption.
            """
        case .costs(let file, let checksum, let changes):
            """
            Durations follow the costs\(file.map { " of \($0)" } ?? "") (SHA-256 \(checksum.prefix(8))), not the \
            standard \
            ones: \(changes.count > 4 ? "\(changes.count) constants differ" : changes.joined(separator: ", ")).
            """
        case .sizesAssumed(let objects, let all, let bytes):
            "\(objects) of \(all) objects have no recorded size: \(bytes) bytes are assumed for each."
        case .bodiesKept(let objects, let all):
            "\(objects) of \(all) objects have the bodies that were kept, and are checked by SHA-256"
                + (objects < all ? "; the bodies of the other \(all - objects) are generated." : ".")
        case .latenciesDrawn(1):
            "1 fetch is not in the recording: its latency was drawn from recorded ones."
        case .latenciesDrawn(let fetches):
            "\(fetches) fetches are not in the recording: their latencies were drawn from recorded ones."
        case .latenciesAssumed(let fetches):
            """
            \(fetches) fetches have an assumed time, because the trace records none: 50 ms to the first byte, and 2 \
            MB/s.
            """
        case .queuesHidden:
            """
            The recorded times to the first byte may contain waits for a connection: more than \
            \(RecordedHosts.mostOverHTTP1) fetches ran from one host at a time, and the trace has no protocol. The \
            replay \
            adds no such waits.
            """
        case .lifetimesAssumed(let objects, let all):
            """
            \(objects) of \(all) objects have no headers that state a lifetime: the lifetime of the cache's policy is \
            assumed.
            """
        case .headerDefects(let defects, let all):
            "Recorded responses have defects: \(defects.parts(of: all).joined(separator: "; "))."
        case .imagesDecoded(let objects, let all):
            """
            \(objects) of \(all) objects were decoded from kept bodies. The others have none, were never fetched, or \
            are not JPEG, PNG or WebP.
            """
        case .generatedImagesDecoded(let objects, let all):
            """
            For \(objects) of \(all) objects, whose bodies were not kept, generated images were decoded: of the format \
            and pixel size of the object, and of nearly its bytes. Memory holds as many bytes as their bitmaps have.
            """
        case .decodingModelled(let objects, let all):
            """
            The decoding times of \(objects) of \(all) objects come from the cost model, because no image of their \
            size was generated.
            """
        case .pixelSizesAssumed(let objects, let all):
            """
            \(objects) of \(all) objects have no recorded pixel size: a bitmap of \
            \(Trace.assumedBitmapFactor) times the encoded bytes is assumed.
            """
        case .filesDamaged(let reads):
            """
            \(reads) reads from disk found a file damaged or missing. They are no hits, so compare this row with \
            others \
            only if the damage is part of the experiment.
            """
        case .clockLagged(let lag):
            """
            The replay could not keep up with the wall clock: \(percent(lag.lateShare)) of the events were handled \
            more than 16 ms late, the latest by \(seconds(lag.max)). Latencies and hits describe this machine, not the \
            cache; use a lower --speed, fewer --jobs, or the virtual clock.
            """
        case .listOrderInferred:
            """
            The session does not record the order of its list, so it was inferred from the cells that appeared. Images \
            that never appeared are not prefetched, and an app wastes more bytes than the replay.
            """
        case .listIncomplete(let appearances):
            "\(appearances) appearances are of cells that the recorded order of the list does not have."
        case .prefetchOffOnMetered: "The network is metered, so the cache prefetches nothing."
        case .memoryUnreported:
            """
            The cache does not say how many bytes it holds, so its peak of memory is unknown. Misses count as \
            avoidable beside the most bytes that it is known to have held.
            """
        case .warningsUnheeded(let unheeded, let all):
            """
            \(unheeded) of \(all) memory warnings freed nothing: a system that needs memory ends such an app. Clear \
            the \
            cache when the warning comes.
            """
        case .nsCacheChosen(let chosen):
            chosen.model == "platform"
                ? "The memory is the NSCache of the machine that made the replay, not a model of it."
                : """
                The memory is Darwin's NSCache, in the model \(chosen.model) alone, as \
                \(chosen.source.map { "\($0) says" } ?? "the user chose").
                """
        case .cacheFaults(let faults):
            "The cache has defects: it \(faults.map(\.description).joined(separator: "; it "))."
        case .bytesDisagree(let served, let counted):
            "The origin served \(served) bytes, and the replay counted \(counted): do not rely on this row."
        }
    }

    private func percent(_ share: Double) -> String { "\(Double(Int(share * 1_000)) / 10) %" }

    private func seconds(_ time: Int64) -> String { "\(Double(time / 10_000_000) / 100) s" }
}
