import Foundation
import Testing

@testable import CacheTraces
@testable import TraceAnalysis
@testable import TraceSynthesis

@Suite("Zipf's law, fitted")
struct ZipfFitTests {
    @Test(
        "Counts that follow the law exactly give its exponent, and a distance of nothing",
        arguments: [0.0, 0.3, 0.8, 1.0, 1.4, 2.5])
    func exact(exponent: Double) throws {
        let weights = (1...1_000).map { pow(Double($0), -exponent) }
        let counts = weights.map { UInt32(($0 / weights[0] * 2e9).rounded()) }
        let fit = try #require(ZipfFit(counts: counts))
        #expect(abs(fit.exponent - exponent) < 1e-5)
        #expect(fit.distance < 1e-4)
        #expect(!fit.isPoor)
    }

    @Test("For three objects requested 4, 2 and 1 times, the law's mean of ln r is theirs: (2 ln 2 + ln 3) / 7")
    func three() throws {
        let fit = try #require(ZipfFit(counts: [4, 2, 1]))
        let weights = [1, pow(2, -fit.exponent), pow(3, -fit.exponent)]
        let mean = (weights[1] * log(2) + weights[2] * log(3)) / weights.reduce(0, +)
        #expect(abs(mean - (2 * log(2) + log(3)) / 7) < 1e-9)
    }

    @Test(
        """
        Requests drawn by the law give its exponent within four standard errors, and the error is the spread of \
        repeated fits
        """,
        arguments: [(0.6, 200), (0.8, 1_000), (1.0, 1_000), (1.2, 300)])
    func sampled(exponent: Double, objects: Int) throws {
        let sampler = ZipfSampler(exponent: exponent, count: objects)
        let fits = try (1...12).map { seed in
            var random = RandomStream(seed: UInt64(seed), name: "requests")
            var counts = [UInt32](repeating: 0, count: objects)
            for _ in 0..<400_000 { counts[sampler.next(&random)] += 1 }
            return try #require(ZipfFit(counts: counts.filter { $0 > 0 }.sorted(by: >)))
        }
        for fit in fits {
            // Ranks counted from the same requests lift the exponent a little.
            #expect(abs(fit.exponent - exponent) < 4 * fit.standardError + 0.004)
            #expect(fit.distance < 0.01)
        }
        let mean = fits.map(\.exponent).reduce(0, +) / 12
        let spread = (fits.reduce(0) { $0 + ($1.exponent - mean) * ($1.exponent - mean) } / 11).squareRoot()
        #expect(spread / fits[0].standardError > 0.4 && spread / fits[0].standardError < 2)
    }

    @Test("Few requests per object are reported, because chance then makes ranks of its own")
    func thin() throws {
        var random = RandomStream(seed: 3, name: "requests")
        var counts = [UInt32](repeating: 0, count: 1_000)
        for _ in 0..<3_000 { counts[Int(random.next() % 1_000)] += 1 }
        let fit = try #require(ZipfFit(counts: counts.filter { $0 > 0 }.sorted(by: >)))
        #expect(fit.isThin)
        #expect(fit.exponent > 0.2)  // Of objects that are all equally popular.
    }

    @Test("The distance shows a distribution that is not Zipf's")
    func poor() throws {
        let fit = try #require(
            ZipfFit(counts: [UInt32](repeating: 1_000, count: 100) + [UInt32](repeating: 1, count: 900)))
        #expect(fit.isPoor)
    }

    @Test("Two objects make no law")
    func tooFew() { #expect(ZipfFit(counts: [5, 2]) == nil) }
}
