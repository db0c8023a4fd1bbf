import CachePolicies
import Testing

@Suite("The grammar of policies")
struct SpecificationTests {
    let context = PolicyContext(workload: Workload(uniqueBytes: 1_000_000, objects: 50))

    @Test(
        "A specification is written out with every default",
        arguments: [
            ("lru(100MB)", "lru(100MB)"),
            ("lru(100000kB)", "lru(100MB)"),
            ("lru( 20 objects )", "lru(20 objects)"),
            ("lru(1.5MiB, 20 objects)", "lru(1536KiB, 20 objects)"),
            ("fifo(5%)", "fifo(50kB)"),
            (
                "ttl(lru(100MB), lifetime: 300s)",
                """
                ttl(lru(100MB), lifetime: 5min, sweep: never, checkOnRead: true, extendOnAccess: false, removeOnRead: \
                true, granularity: 1us)
                """
            ),
            (
                "ttl(2q(1MB), lifetime: 9s)",
                """
                ttl(2q(1MB, in: 0.25, out: 0.5, compat: paper), lifetime: 9s, sweep: never, checkOnRead: true, \
                extendOnAccess: false, removeOnRead: true, granularity: 1us)
                """
            ),
            (
                "split(thumbnail: 2q(1MB), full: none)",
                "split(thumbnail: 2q(1MB, in: 0.25, out: 0.5, compat: paper), full: none)"
            ),
            (
                "ttl(fifo(1B), sweep: 240s, lifetime: 7d)",
                """
                ttl(fifo(1B), lifetime: 7d, sweep: 4min, checkOnRead: true, extendOnAccess: false, removeOnRead: true, \
                granularity: 1us)
                """
            ),
            ("nscache(cost: 100MB)", "nscache(cost: 100MB, count: 0, model: lru, discardable: false)"),
            ("nscache(count: 7, model: corelibs)", "nscache(cost: 0B, count: 7, model: corelibs, discardable: false)"),
            (
                "trim(100MB, to: 0.6)",
                """
                trim(100MB, order: lru, granularity: 1us, from: 1.0, to: 0.6, below: false, atLimit: false, \
                onStore: true, \
                beforeStore: false, onBackground: false, sums32: false, first: never, every: never, interval: never)
                """
            ),
            ("split(thumbnail: lru(100 objects), full: none)", "split(thumbnail: lru(100 objects), full: none)"),
            ("unbounded()", "unbounded"),
        ])
    func canonical(text: String, expected: String) throws {
        #expect(try context.canonical(text) == expected)
        #expect(try context.canonical(expected) == expected)
        _ = try context.policy(text)
    }

    @Test(
        "The error points at the mistake",
        arguments: [
            ("lru(100MB", 3, "never closed"),
            ("lru(100MB))", 10, "too many"),
            ("lru(100)", 4, "no unit"),
            ("lru(100XB)", 4, "'XB' is no unit"),
            ("lru", 0, "needs a size"),
            ("lru()", 0, "needs a size"),
            ("lru(10.5 objects)", 4, "whole number"),
            ("lru(1MB, 2MB, 3MB)", 14, "at most 2"),
            ("lru(size: 1MB)", 4, "no parameter 'size:'"),
            ("ttl(lru(1MB), lifetme: 3s)", 14, "did you mean 'lifetime:'"),
            ("ttl(lru(1MB))", 0, "needs 'lifetime:'"),
            ("ttl(lru(1MB), lifetime: 0s)", 14, "longer than 0"),
            ("ttl(lru(1MB), lifetime: 3)", 14, "no unit"),
            ("ttl(lru(1MB), lifetime: 3s, lifetime: 4s)", 28, "twice"),
            ("ttl(lrru(1MB), lifetime: 3s)", 4, "did you mean 'lru'"),
            ("split(thumbnail: lru, full: lru(1MB))", 17, "needs a size"),
            ("nscache(model: darwin)", 8, "one of: lru, fifo, frequency, corelibs, gnustep, platform"),
            ("trim(1MB, onStore: false)", 0, "onBackground: true, first: or every:"),
            ("trim(1MB, to: 60%)", 10, "a fraction from 0 to 1"),
            ("trim", 0, "needs a size"),
            ("trim(1MB, granularity: never)", 10, "granularity is a duration"),
            ("bloom(lru(1MB), error: 0)", 16, "error is from 1e-09 to 0.5"),
            ("bloom(lru(1MB), window: 0)", 16, "window is from 1 to 1000000000"),
            ("tinylfu(lru(1MB), sample: 0)", 18, "sample is at least 1"),
            ("w-tinylfu(1MB, sample: 0)", 15, "sample is at least 1"),
            ("adaptsize(lru(1MB), period: 0)", 20, "period is at least 1"),
            ("lru-k(1MB, k: 65)", 11, "k is from 1 to 64"),
            ("tinylfu(split(thumbnail: lru(1MB), full: lru(1MB)))", 8, "names none"),
            ("", 0, "expected a name"),
            ("lru(1MB) x", 9, "nothing may follow"),
            ("lru(;)", 4, "expected a name"),
            ("lru(99999999999999999999999TB)", 4, "beyond what can be counted"),
            ("lru(99999999999999999999999%)", 4, "beyond what can be counted"),
            (String(repeating: "ttl(", count: 3_000), 128, "at most 32 deep"),
        ])
    func mistakes(text: String, column: Int, message: String) {
        let error = #expect(throws: SpecError.self) { _ = try context.policy(text) }
        #expect(error?.column == column)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.text == text)
    }

    @Test(
        "A parameter beyond its bounds is an error that names them",
        arguments: [
            ("clock(9 objects, bits: 5)", "bits is from 1 to 4"),
            ("slru(9 objects, segments: 0)", "segments is from 1 to 15"),
            ("s3fifo(9 objects, threshold: 16)", "threshold is from 1 to 15"),
            ("sieve(9 objects, k: 16)", "k is from 1 to 15"),
            ("s4fifo(9 objects, ghostThreshold: 16)", "ghostThreshold is from 0 to 15"),
            ("clock2q-plus(9 objects, compat: libcachesim-2024-10)", "compat is one of: paper, libcachesim"),
            ("mq(9 objects, queues: 15)", "queues is from 1 to 14"),
            ("hyperbolic(1MB, samples: 0)", " is "), ("belady-size(1MB, samples: 0)", " is "),
            ("lhd(1MB, ages: 1)", " is "), ("lhd(1MB, classes: 65)", " is "), ("lhd(1MB, exploreEvery: 0)", " is "),
            ("camp(1MB, precision: 0)", " is "), ("camp(1MB, precision: 54)", " is "),
            ("gd-wheel(1MB, wheels: 17)", " is "), ("gd-wheel(1MB, queues: 1)", " is "),
            ("lru-mad(1MB, samples: 0)", " is "), ("lru-mad(1MB, delay: never)", " is "),
            ("gdsf-mad(1MB, delay: never)", " is "), ("3l-cache(1MB, batch: 0)", " is "),
            ("3l-cache(1MB, batch: 4194305)", " is "), ("3l-cache(1MB, objective: bits)", " is "),
            ("bloom(lru(10B), window: 1000000000000)", "window is"),
            ("trim(9B, onStore: false, beforeStore: true, every: 1s)", "needs onStore: true"),
            ("trim(9B, interval: 1h)", "needs first:"), ("trim(100B, from: 0.8, to: 0.9)", ""),
            ("trim(100B, from: 0.8)", ""),
        ])
    func bounds(text: String, message: String) {
        let error = #expect(throws: SpecError.self) { _ = try context.policy(text) }
        #expect(message.isEmpty || error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("A share needs a trace")
    func shareWithoutTrace() {
        #expect(throws: SpecError.self) { _ = try PolicyContext().policy("lru(5%)") }
    }

    @Test("A share of a huge working set does not overflow")
    func hugeShare() throws {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1 << 61, objects: 1 << 61))
        #expect(try context.canonical("lru(1000%)") == "lru(1048576TiB)")
    }

    @Test("A run's capacity fills in for a size that is not written, but not in both halves of a split")
    func capacity() throws {
        let context = PolicyContext(capacity: .objects(7))
        #expect(try context.canonical("lru") == "lru(7 objects)")
        #expect(try context.canonical("lru(3 objects)") == "lru(3 objects)")
        #expect(try context.canonical("ttl(lru, lifetime: 1s)").hasPrefix("ttl(lru(7 objects)"))
        #expect(throws: SpecError.self) { _ = try context.policy("split(thumbnail: lru, full: lru)") }
    }

    @Test("Random text is refused with an error, never by a crash")
    func garbage() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("lruttlsplit(),:;. 0123456789MB%né\u{1F4F7}\n\"-_")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "l" })
            do { _ = try context.canonical(text) } catch {
                #expect(error is SpecError)
            }
        }
    }
}
