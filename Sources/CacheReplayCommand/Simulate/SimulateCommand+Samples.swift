import ArgumentParser
import CachePolicies
import CacheReports
import CacheSimulation
import CacheTraces
import Foundation
import Runs

/// Samples of objects, and traces in windows.
extension SimulateCommand {
    /// Refuses what a trace in windows cannot have.
    func validateStream() throws {
        guard stream else { return }
        if bounds {
            throw ValidationError(
                "--bounds compares all requests with each other, which needs the whole trace; leave --stream out.")
        }
        if sampleSize != nil {
            throw ValidationError(
                """
                With --stream the number of objects is not known before the end of a trace: give a share of them, such \
                as --sample 1%, in place of --sample-size, or leave --stream out.
                """)
        }
        if checkSample {
            throw ValidationError(
                "--check-sample simulates all objects too, which needs the whole trace; leave --stream out.")
        }
    }

    /// The most samples of a trace.
    private static let mostSalts = 1_000

    func validateSalts() throws {
        guard let salts else { return }
        if sample == nil, sampleSize == nil { throw ValidationError("--salts needs --sample or --sample-size.") }
        guard (2...Self.mostSalts).contains(salts) else {
            throw ValidationError(
                """
                --salts is \(salts), but must be from 2 to \(Self.mostSalts): the interval of a mean needs several \
                samples.
                """)
        }
        if sample == 1 {
            throw ValidationError(
                "--salts needs samples that differ; give a --sample below 100%, or leave --salts out.")
        }
    }

    /// Draws the samples of a trace while it is read in windows, and simulates them. They are in memory as a whole, so
    /// that policies can know the future, and capacities can be shares.
    func simulateSamples(
        _ file: TraceFile, _ isOwn: @escaping @Sendable (Int) -> Bool, _ policies: [PolicyChoice],
        _ capacities: CapacityList, _ runner: SimulationRunner
    ) throws {
        var notes = ReadingNotes()
        let options = try columnOptions()
        let seeds = (0..<(salts ?? 1)).map { ObjectSample.seed(ofSalt: $0) }
        let (samples, read) = try StreamedSweep.samples(
            file.place, options, of: parts.streamed(warmup: nil), rate: sample ?? 1, seeds: seeds, &notes)
        try report(notes, file.path)
        if let skip = parts.skip, samples.requests == 0 { throw Self.allSkipped(file.path, skip, of: read) }
        let whole = SimulationWork.Whole(samples)
        let drawn = samples.finish()
        guard drawn.allSatisfy({ $0.trace.objectCount > 0 }) || whole.objects == 0 else {
            throw noSample(file.name, objects: whole.objects)
        }
        let trace = drawn[0].trace
        if trace.lacksSizes { try checkUnsized(file.path, policies, capacities) }
        let ignoresSizes = ignoreSize || trace.lacksSizes
        var work = SimulationWork(
            name: file.name, trace: trace, whole: whole, policies: policies,
            capacities: capacities.resolved(for: whole, ignoresSizes: ignoresSizes), ignoresSizes: ignoresSizes,
            curve: curve && isOwn(0), samples: drawn.map(\.sample), drawn: drawn, checksSample: false)
        work.isOwn = isOwn
        try checkCurve(work, samples.hasRequestSizes, samples.hasFailedFetches, file.path)
        warnOfSmallCapacities(work, file.path)
        try runner.run(work)
    }

    /// Computes LRU's curve of all objects of a file that is read in windows. The first time counts its objects and
    /// their bytes, and each curve needs another time.
    func readCurve(
        _ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList, _ runner: SimulationRunner
    ) throws {
        try file.checkRereadable()
        var notes = ReadingNotes()
        let (options, cut) = (try columnOptions(), parts.streamed(warmup: nil))
        // No object is in the sample: its trace is empty.
        let (totals, read) = try StreamedSweep.samples(
            file.place, options, of: cut, rate: 0, seeds: [ObjectSample.defaultSeed], &notes)
        try report(notes, file.path)
        if let skip = parts.skip, totals.requests == 0 { throw Self.allSkipped(file.path, skip, of: read) }
        if totals.lacksSizes { try checkUnsized(file.path, policies, capacities) }
        let ignoresSizes = ignoreSize || totals.lacksSizes
        let whole = SimulationWork.Whole(totals)
        var work = SimulationWork(
            name: file.name, trace: totals.finish()[0].trace, whole: whole, policies: [],
            capacities: capacities.resolved(for: whole, ignoresSizes: ignoresSizes), ignoresSizes: ignoresSizes,
            curve: true, samples: [], checksSample: false)
        let path = file.place
        work.readCurve = { unit, capacities in
            try StreamedSweep.curve(path, options, of: cut, totals, unit: unit, exactAt: capacities)
        }
        try checkCurve(work, totals.hasRequestSizes, totals.hasFailedFetches, file.path)
        try runner.drawCurves(work)
    }

    private func noSample(_ name: String, objects: Int) -> CommandFailure {
        CommandFailure(.usage, "\(name): the sample has none of the \(objects) objects; give a larger --sample.")
    }

    /// Returns the sample of each salt; empty without a sample.
    /// - Throws: ``CommandFailure`` if a sample has no object.
    func objectSamples(of trace: DenseTrace, _ name: String) throws -> [ObjectSample] {
        guard sample != nil || sampleSize != nil else { return [] }
        return try (0..<(salts ?? 1)).map { salt in
            let seed = ObjectSample.seed(ofSalt: salt)
            let drawn =
                sample.map { ObjectSample(rate: $0, of: trace, seed: seed) }
                ?? ObjectSample(size: sampleSize ?? 1, of: trace, seed: seed)
            guard drawn.objectCount > 0 || trace.objectCount == 0 else {
                throw noSample(name, objects: trace.objectCount)
            }
            return drawn
        }
    }

    /// Warns of estimates in which chance decides, because the cache holds few objects of the sample.
    func warnOfSmallCapacities(_ work: SimulationWork, _ path: String) {
        guard let rate = work.rate else { return }
        let mean = max(1, Double(work.whole.uniqueBytes) / Double(max(1, work.whole.objects)))
        let small = work.capacities.filter { capacity in
            Double(capacity.value) * rate / (capacity.unit == .bytes && !work.ignoresSizes ? mean : 1) < 100
        }
        guard let largest = small.max(by: { $0.value < $1.value }) else { return }
        printWarnings(
            [
                """
                the estimates up to a capacity of \(MissRatioFile.text(largest)) are imprecise, because the cache \
                holds \
                fewer than 100 objects of the sample; give a larger --sample
                """
            ], file: path)
    }
}
