import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import MeasuredTiers
import ReplayEngine
import SessionModel

/// Measures the time of a measured replay beyond its disk reads: in a trace in which every request except the first of
/// each image is a disk hit, compared with a plain loop over the same tier. The bar is a tenth of a read.
///
/// A replay verifies each delivered byte outside the times that it reports. The second row excludes this verification.
func engineShareBenchmarks() throws -> [BenchmarkRow] {
    let bench = try EngineShare()
    return try [(false, "page cache"), (true, "disk")].flatMap { isCold, source in
        let times = try alternating(
            rounds: 5, [{ try bench.replayed(isCold: isCold) }, { try bench.read(isCold: isCold) }, bench.checked])
        let (replayed, read, check) = (times[0], times[1], times[2])
        func row(_ what: String, _ ours: Double) -> BenchmarkRow {
            BenchmarkRow(
                "measured replay of disk hits, 60 KB from the \(source)\(what)", metric: "time per request", unit: "us",
                .lowerIsBetter, ours: ours,
                peerName: "the read in a plain loop, and a tenth", peer: read * 1.1)
        }
        return [row("", replayed), row(", without checking every byte", replayed - check)]
    }
}

private final class EngineShare {
    private static let size = 60_000
    private static let count = 1_000
    private static let passes = 3
    private let folder: ScratchFolder
    private let trace: Trace
    private let origin: ServerProcess
    private let tier: DiskTier

    init() throws {
        folder = try ScratchFolder(prefix: "cachereplay-bench")
        var builder = TraceBuilder()
        for number in 0..<Self.count {
            let object = builder.object("https://photos.example/album/\(number).jpg")
            builder.update(object) { $0.bytes = Self.size }
            builder.append(
                TraceEvent(time: 0, .fetch(object, Fetch(bytes: Self.size, timeToFirstByte: 100, transferTime: 100))))
        }
        // Far enough apart that each request ends before the next.
        for request in 0..<Self.count * (Self.passes + 1) {
            builder.append(TraceEvent(time: Int64(request) * 20_000, .appear(ObjectID(request % Self.count), .full)))
        }
        trace = builder.finish()
        origin = try ServerProcess.origin(trace)
        tier = try DiskTier(
            PolicyContext().policy("unbounded"), at: folder.path + "/loop", epoch: Date())
        for object in trace.objects {
            try tier.store(object.key, Payload(count: Self.size) { PayloadPattern(key: object.key).fill($0) })
        }
    }

    /// Returns the microseconds per request, without the first pass.
    func replayed(isCold: Bool) throws -> Double {
        var job = ReplayJob(
            trace: "share", cache: try CacheConfiguration("memory: none; disk: unbounded; holds: encoded"))
        job.origin = "\(origin.address)/run"
        job.folder = "\(folder.path)/replay-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: job.folder ?? "") }
        var times: [Double] = []
        var begun: ContinuousClock.Instant?
        let result = try job.run(trace, measured: .real) { events in
            let now = ContinuousClock.now
            if let begun { times.append((now - begun) / .seconds(1)) }
            // The recorded fetches and the first pass.
            if events >= 2 * Self.count {
                if isCold { Self.forget(job.folder ?? "") }
                begun = ContinuousClock.now
            }
        }
        guard result.counts.diskHits == Self.count * Self.passes, result.counts.wrong == 0,
            times.count == Self.passes
        else {
            throw BenchmarkError(description: "not every request was a disk hit: \(result.counts)")
        }
        return times.reduce(0, +) / Double(Self.count * Self.passes) * 1e6
    }

    /// Returns the microseconds per read.
    func read(isCold: Bool) throws -> Double {
        var time = 0.0
        var bytes = 0
        for _ in 0..<Self.passes {
            if isCold { Self.forget(folder.path + "/loop") }
            time += try seconds {
                for object in trace.objects { bytes += try tier.read(object.key)?.payload.count ?? 0 }
            }
        }
        guard bytes == Self.count * Self.passes * Self.size else {
            throw BenchmarkError(description: "\(bytes) bytes were read.")
        }
        return time / Double(Self.count * Self.passes) * 1e6
    }

    /// Returns the microseconds to verify the bytes of an image in the processor's cache.
    func checked() throws -> Double {
        let payload = Payload(count: Self.size) { PayloadPattern(key: trace.objects[0].key).fill($0) }
        let pattern = PayloadPattern(key: trace.objects[0].key)
        var matches = 0
        let time = seconds { for _ in 0..<Self.count { if pattern.matches(payload.bytes) { matches += 1 } } }
        guard matches == Self.count else { throw BenchmarkError(description: "\(matches) matched.") }
        return time / Double(Self.count) * 1e6
    }

    /// Flushes the files and drops them from the page cache, so that the next reads go to the disk.
    private static func forget(_ folder: String) {
        sync()
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            let file = open("\(folder)/\(path)", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            #if os(Linux)
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            #endif
            close(file)
        }
    }
}
