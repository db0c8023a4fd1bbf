import Basics
import Foundation
import Testing

@testable import CacheTraces
@testable import SessionModel
@testable import TraceAnalysis
@testable import TraceSynthesis

@Suite("Generated sessions")
struct SynthesisTests {
    private func trace(_ app: PeopleModel.App = .feed, _ change: (inout PeopleModel) -> Void) throws -> Trace {
        var model = PeopleModel()
        model.app = app
        model.days = 60
        change(&model)
        return try Population.trace(model, person: 2)
    }

    @Test(
        "A session ends with the most requests of a person, and its cells vanish",
        arguments: PeopleModel.App.allCases, [1, 37, 800])
    func bound(app: PeopleModel.App, requests: Int) throws {
        let trace = try trace(app) { $0.requests = requests }
        #expect(TraceSummary(trace).requests == requests)
        #expect(trace.header.recorder?.contains(", at most \(requests) requests") == true)
        var inView = 0
        for event in trace.events {
            switch event.action {
            case .appear: inView += 1
            case .disappear: inView -= 1
            default: break
            }
        }
        #expect(inView == 0)
    }

    @Test("A launch fetches nothing twice that it has got, and what is asked for is fetched")
    func fetches() throws {
        let trace = try trace(.gallery) {
            $0.days = 6
            $0[.serverErrors] = 0.1
        }
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
        #expect(launches > 2)
        let tried = Set(trace.events.compactMap { if case .fetch(let object, _) = $0.action { object } else { nil } })
        // What waited when the app ended.
        #expect(asked.subtracting(tried).count <= launches * 6)
    }

    @Test("There are no more fetches in flight than connections")
    func network() throws {
        let trace = try trace(.gallery) {
            $0.requests = 2_000
            $0.network = .threeG
            $0[.connections] = 4
        }
        #expect(try #require(FetchConcurrency(trace)).peak == 4)
    }

    @Test("Another network leaves alone what else is drawn")
    func streams() throws {
        let (fast, slow) = try (trace { $0.network = .wifi }, trace { $0.network = .threeG })
        func appearances(_ trace: Trace) -> [TraceEvent] {
            trace.events.filter { if case .appear = $0.action { true } else { false } }
        }
        #expect(appearances(fast) == appearances(slow))
        #expect(fast.objects == slow.objects && fast.events != slow.events)
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
    private func bytes(_ change: (inout RequestModel) -> Void = { _ in }) throws -> [UInt8] {
        var model = RequestModel()
        model.requests = 50_000
        model[.objects] = 1_000
        model[.exponent] = 1
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

    @Test("What was asked for is what trace info finds: Zipf's exponent, median and spread of the sizes")
    func recovery() throws {
        for exponent in [0.6, 1.0] {
            let written = try bytes {
                $0[.objects] = 500
                $0[.exponent] = exponent
                $0[.bytes] = 200_000
                $0[.bytesSpread] = 0.7
            }
            let trace = try TraceReading(TraceInput(bytes: written, path: "zipf.oracleGeneral.bin")).trace
            let analysis = TraceStatistics(trace)
            let zipf = try #require(analysis.popularity.zipf)
            #expect(abs(zipf.exponent - exponent) < 0.03)
            #expect(zipf.distance < 0.02)
            let sizes = try #require(analysis.sizes.first)
            // Of 500 draws: a standard error of 0.7 / √500 = 3.1% in the mean of logarithms, 2.2% in the spread.
            #expect(abs(log(Double(sizes.quantile(0.5) ?? 0) / 200_000)) < 0.15)
            #expect(abs((sizes.spread ?? 0) - 0.7) < 0.09)
        }
    }

    @Test("A value out of range is an error that names the parameter and the range")
    func checks() {
        for (parameter, value, message) in [
            (RequestParameter.exponent, 11.0, "exponent is 11; expected 0 to 10"),
            (.objects, 0.5, "objects is 0.5; expected 1 to 100000000"),
            (.objects, 1.5, "objects is 1.5; expected a whole number such as 2"),
            (.bytes, -1, "bytes is -1; expected 1 to 1000000000 B"),
        ] {
            let error = #expect(throws: SynthesisError.self) { try bytes { $0[parameter] = value } }
            #expect(error?.description == message)
        }
        #expect(throws: SynthesisError.self) { try bytes { $0.requests = 0 } }
    }

    @Test("Parameters stand in the order of their cases, and their defaults are within their ranges")
    func parameters() {
        #expect(RequestParameter.all.map(\.name) == ["objects", "exponent", "bytes", "bytes-spread"])
        #expect(RequestParameter.all.count == RequestParameter.allCases.count)
        #expect(RequestParameter.all.allSatisfy { $0.range.contains($0.value) })
    }
}
