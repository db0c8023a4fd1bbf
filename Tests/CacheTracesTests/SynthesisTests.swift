import Basics
import Foundation
import Testing

@testable import CacheTraces
@testable import SessionModel
@testable import TraceAnalysis
@testable import TraceSynthesis

@Suite("Made-up sessions")
struct SynthesisTests {
    private func model(_ session: SynthesisModel.Session = .feed, _ change: (inout SynthesisModel) -> Void = { _ in })
        -> SynthesisModel
    {
        var model = SynthesisModel()
        model.session = session
        change(&model)
        return model
    }

    private func bytes(_ model: SynthesisModel) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try Synthesis.writeJSONLines(model) { bytes += $0 }
        return bytes
    }

    @Test(
        "The same seed gives the same bytes, on every machine",
        arguments: [
            (SynthesisModel.Session.feed, "2743ddacf38c77edffffe34765225c8fa542c22817c42e0fb9051ec6da73349c"),
            (.grid, "38b5926ba515512029c5073069f04d22b256a045b63a364f37767d3dd1214324"),
            (.search, "e62c99d35eaec9316e133bb51b1a346a8c765885e22607a987d8e7d54a12e1c7"),
            (.backAndForth, "64a0e4be7286a6142538c7ad6aacf0d140d0ce71fa1672f0bce1e69119e8db52"),
            (.return, "ac90f7ccda00c67db6034c3bc820f84fe4eb2d8bd531e3f47d7a3d6c4912cc95"),
        ])
    func golden(session: SynthesisModel.Session, digest: String) throws {
        let model = model(session) {
            $0.requests = 300
            $0.pictures = 200
            $0.memoryWarningEvery = 20
            $0.backgroundEvery = 30
            $0.offlineEvery = 25
        }
        let found = Digest.of(try bytes(model), .sha256).hexadecimal
        #expect(found == digest)
    }

    @Test("Another seed gives another session")
    func seeds() throws {
        #expect(try bytes(model { $0.seed = 1 }) != bytes(model { $0.seed = 2 }))
    }

    @Test(
        "Streamed or in memory, it is the same trace, valid, labelled, and exactly as long as asked for",
        arguments: SynthesisModel.Session.allCases, [1, 37, 800])
    func whole(session: SynthesisModel.Session, requests: Int) throws {
        let model = model(session) {
            $0.requests = requests
            $0.pictures = 300
            $0.backgroundEvery = 15
            $0.terminateChance = 0.5
            $0.memoryWarningEvery = 20
            $0.offlineEvery = 20
        }
        let reading = try TraceReading(TraceInput(bytes: bytes(model), path: "made-up.jsonl"))
        let trace = try Synthesis.trace(model)
        #expect(reading.trace == trace)
        #expect(reading.warnings.isEmpty)
        #expect(trace.header.synthetic)
        #expect(trace.header.recorder?.contains("session \(session.rawValue), seed 1") == true)
        #expect(TraceSummary(trace).requests == requests)
        #expect(zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test(
        "Every cell that appears vanishes, once, and none is in view twice in a grid",
        arguments: SynthesisModel.Session.allCases)
    func cells(session: SynthesisModel.Session) throws {
        let trace = try Synthesis.trace(
            model(session) {
                $0.requests = 3_000; $0.backgroundEvery = 20; $0.terminateChance = 0.3
            })
        var inView = [Int](repeating: 0, count: trace.objects.count)
        var wrong = 0
        for event in trace.events {
            switch event.action {
            case .appear(let object, _):
                inView[Int(object)] += 1
                if session != .feed, inView[Int(object)] > 1 { wrong += 1 }
            case .disappear(let object, _):
                inView[Int(object)] -= 1
                if inView[Int(object)] < 0 { wrong += 1 }
            case .terminate: wrong += inView.count { $0 != 0 }
            default: break
            }
        }
        #expect(wrong == 0)
        #expect(inView.allSatisfy { $0 == 0 })
    }

    @Test("A launch fetches nothing twice that it has got, and everything that it asks for is fetched")
    func fetches() throws {
        let trace = try Synthesis.trace(
            model(.return) {
                $0.requests = 2_000; $0.serverErrors = 0.1; $0.pictures = 400
            })
        var fetched: Set<ObjectID> = []
        var asked: Set<ObjectID> = []
        var launches = 1
        for event in trace.events {
            switch event.action {
            case .appear(let object, _), .prefetch(let object, _): asked.insert(object)
            case .fetch(let object, let fetch):
                #expect(asked.contains(object))
                if fetch.succeeded { #expect(fetched.insert(object).inserted) }
            case .terminate:
                fetched = []
                launches += 1
            default: break
            }
        }
        #expect(launches == 2)
        let tried = Set(trace.events.compactMap { if case .fetch(let object, _) = $0.action { object } else { nil } })
        #expect(asked.subtracting(tried).count <= 2 * 6)  // What waited when the app ended.
        let away = zip(trace.events, trace.events.dropFirst()).map { $1.time - $0.time }.max() ?? 0
        #expect(away > 86_000_000_000)
    }

    @Test("Without network fetches fail, and there are no more in flight than connections")
    func network() throws {
        let trace = try Synthesis.trace(
            model(.grid) {
                $0.requests = 2_000; $0.offlineEvery = 10; $0.offlineLength = 3; $0.connections = 4
            })
        let failed = trace.events.count {
            if case .fetch(_, let fetch) = $0.action { fetch.status == 0 } else { false }
        }
        #expect(failed > 20)
        #expect(try #require(FetchConcurrency(trace)).peak <= 4)
    }

    @Test("Paged details scroll with offsets that rest on pages")
    func paging() throws {
        let trace = try Synthesis.trace(
            model(.grid) {
                $0.requests = 1_000; $0.openChance = 1; $0.rowHeight = 131
            })
        var fullInView = 0
        var rests = 0
        for event in trace.events {
            switch event.action {
            case .appear(_, .full): fullInView += 1
            case .disappear(_, .full): fullInView -= 1
            case .scroll(.atRest, let offset, _) where fullInView > 0:
                #expect(offset.truncatingRemainder(dividingBy: 390) == 0)
                #expect(fullInView == 1)
                rests += 1
            default: break
            }
        }
        #expect(rests > 15)
    }

    @Test("What was asked for is what trace info finds: Zipf's exponent, medians and spreads of the sizes")
    func recovery() throws {
        for exponent in [0.6, 1.0] {
            let trace = try Synthesis.trace(
                model {
                    $0.requests = 60_000
                    $0.pictures = 500
                    $0.exponent = exponent
                    $0.fullImages.bytes = 200_000
                    $0.fullImages.spread = 0.7
                    $0.scrollInterval = 0
                    $0.prefetchRows = 0
                })
            let analysis = TraceStatistics(trace)
            let zipf = try #require(analysis.popularity.zipf)
            #expect(abs(zipf.exponent - exponent) < 0.03)
            #expect(zipf.distance < 0.02)
            let sizes = try #require(analysis.sizes.first { $0.variant == .full })
            // Of 500 draws: a standard error of 0.7 / √500 = 3.1% in the mean of logarithms, 2.2% in the spread.
            #expect(abs(log(Double(sizes.quantile(0.5) ?? 0) / 200_000)) < 0.15)
            #expect(abs((sizes.spread ?? 0) - 0.7) < 0.09)
        }
    }

    @Test("Turning one knob leaves alone what others draw")
    func streams() throws {
        let plain = try Synthesis.trace(model())
        let slow = try Synthesis.trace(model { $0.network = .threeG })
        func appearances(_ trace: Trace) -> [TraceEvent] {
            trace.events.filter { if case .appear = $0.action { true } else { false } }
        }
        #expect(appearances(plain) == appearances(slow))
        #expect(plain.objects == slow.objects)
    }

    @Test(
        "A knob that is turned too far is named",
        arguments: [
            \SynthesisModel.exponent, \.flickSpeed, \.deceleration, \.viewport, \.drag,
        ])
    func checks(knob: WritableKeyPath<SynthesisModel, Double> & Sendable) {
        let error = #expect(throws: SynthesisError.self) { try Synthesis.trace(model { $0[keyPath: knob] = -1 }) }
        #expect(error?.description.contains("expected") == true)
    }

    @Test("A catalogue of one picture, a list lower than the screen and no fetch that succeeds end too")
    func extremes() throws {
        for session in SynthesisModel.Session.allCases {
            for pictures in [1, 5, 20, 21] {
                let trace = try Synthesis.trace(
                    model(session) {
                        $0.requests = 50
                        $0.pictures = pictures
                        $0.serverErrors = 1
                        $0.openChance = 0
                        $0.overscan = pictures == 20 ? 500 : 0
                    })
                #expect(TraceSummary(trace).requests == 50)
            }
        }
    }
}

@Suite("Numbers that are the same on every machine")
struct PortableNumberTests {
    @Test("Exponential and logarithm are the system's, to their last digits")
    func functions() {
        for step in -2_000...2_000 {
            let x = Double(step) * 0.0373
            #expect(abs(PortableMath.exp(x) - exp(x)) <= exp(x) * 1e-15)
            #expect(abs(PortableMath.log(exp(x)) - log(exp(x))) <= max(1, abs(x)) * 1e-15)
        }
        #expect(PortableMath.exp(-1_000) == 0)
        #expect(PortableMath.exp(1_000) == .infinity)
        #expect(PortableMath.log(0) == -.infinity)
        #expect(PortableMath.log(-1).isNaN)
        #expect(PortableMath.log(1) == 0 && PortableMath.exp(0) == 1)
    }

    @Test("SplitMix64 gives its published numbers")
    func splitMix() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test("Draws have the moments of their distributions")
    func moments() {
        var random = RandomStream(seed: 9, name: "moments")
        let count = 200_000
        let normals = (0..<count).map { _ in random.normal() }
        let mean = normals.reduce(0, +) / Double(count)
        #expect(abs(mean) < 0.01)
        #expect(abs(normals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count) - 1) < 0.02)
        let gaps = (0..<count).map { _ in random.exponential(mean: 3) }
        #expect(abs(gaps.reduce(0, +) / Double(count) - 3) < 0.05)
        let below = (0..<count).count { _ in random.logNormal(median: 7, spread: 1.1) < 7 }
        #expect(abs(Double(below) / Double(count) - 0.5) < 0.01)
        #expect((0..<1_000).allSatisfy { _ in (0..<7).contains(random.index(below: 7)) })
    }

    @Test("Zipf's shares come out as the law has them", arguments: [0.0, 0.7, 1.0, 1.5])
    func zipf(exponent: Double) {
        let sampler = ZipfSampler(exponent: exponent, count: 50)
        var random = RandomStream(seed: 4, name: "zipf")
        var counts = [Double](repeating: 0, count: 50)
        let draws = 400_000
        for _ in 0..<draws { counts[sampler.next(&random)] += 1 }
        let norm = (1...50).reduce(0) { $0 + pow(Double($1), -exponent) }
        for rank in 1...50 {
            let expected = Double(draws) * pow(Double(rank), -exponent) / norm
            #expect(abs(counts[rank - 1] - expected) < 5 * expected.squareRoot())
        }
    }
}

@Suite("Independent requests")
struct IndependentRequestsTests {
    private func bytes(_ change: (inout SynthesisModel) -> Void = { _ in }) throws -> [UInt8] {
        var model = SynthesisModel()
        model.requests = 50_000
        model.pictures = 1_000
        model.exponent = 1
        change(&model)
        var bytes: [UInt8] = []
        try IndependentRequests(model).writeOracleGeneral { bytes += $0 }
        return bytes
    }

    @Test("are drawn by Zipf's law, and every record names the next of its object")
    func distribution() throws {
        let input = TraceInput(bytes: try bytes(), path: "zipf.oracleGeneral.bin")
        var notes = ReadingNotes()
        let dense = try DenseTrace(input, .init(), &notes)
        #expect(dense.objects.count == 50_000)
        #expect(notes.warnings.isEmpty)
        // Rank 1 of 1,000 has 1 in H(1000) = 7.485 of the requests.
        var counts = [Int](repeating: 0, count: dense.objectCount)
        for object in dense.objects { counts[Int(object)] += 1 }
        let top = try #require(counts.max())
        #expect(abs(Double(top) - 50_000 / 7.485) < 300)
        let next = dense.computedNextAccesses()
        input.withBytes { bytes in
            for index in 0..<50_000 {
                let written = OracleGeneralFormat.Record(bytes, at: index * 24).next
                #expect(written == (next[index] == DenseTrace.noAccess ? -1 : Int64(next[index]) + 1))
            }
        }
    }

    @Test("are the same for the same seed, and others for another")
    func seeds() throws {
        #expect(try bytes() == bytes())
        #expect(try bytes() != bytes { $0.seed = 2 })
    }
}
