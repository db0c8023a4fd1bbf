import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// Files of requests whose times nobody reads.
@Suite("Traces without times")
struct KeptTimesTests {
    @Test("All but the ticks are the same, warnings and epochs too", arguments: RequestTransferTests.sources)
    func equal(source: RequestTransferTests.Source) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(source.name, source.bytes)
        for varying in VaryingSizes.allCases {
            var notes = [ReadingNotes(), ReadingNotes()]
            let with = try DenseTrace(contentsOf: path, .init(varying: varying), &notes[0])
            let without = try DenseTrace(contentsOf: path, .init(varying: varying, columns: []), &notes[1])
            #expect(with.hasTimes && with.ticks.count == with.objects.count)
            #expect(!without.hasTimes && without.ticks.isEmpty)
            #expect(without.objects == with.objects && without.epochs == with.epochs)
            #expect(without.sizes == with.sizes && without.requestSizes == with.requestSizes)
            #expect(without.exceptions == with.exceptions && without.objectCount == with.objectCount)
            #expect(without.uniqueBytes == with.uniqueBytes && without.requestBytes == with.requestBytes)
            #expect(notes[0].warnings == notes[1].warnings)
        }
    }

    /// The second request is held back to the time of the first, and the third begins an epoch behind 71 minutes.
    @Test("Epochs and held times by hand", arguments: [true, false])
    func byHand(keepsTicks: Bool) {
        var times = RequestTimes(keepsTicks: keepsTicks)
        times.append(100)
        times.append(50)
        times.append(5_000_000_000)
        #expect(times.held == 1)
        #expect(times.count == 3)
        let (ticks, epochs) = times.finish()
        #expect(Array(ticks) == (keepsTicks ? [0, 0, 0] : []))
        #expect(epochs == [.init(start: 0, time: 0), .init(start: 2, time: 4_999_999_900)])
    }

    @Test("Batches count without ticks as with them")
    func batches() {
        var times = RequestTimes(keepsTicks: false)
        let batch: [Int64] = [3, 3, 7, 9]
        batch.withUnsafeBufferPointer { batch in
            guard let base = batch.baseAddress else { return }
            times.append(base, count: 4)
            times.append(base + 3, count: 1)
            times.append(base, count: 2)
        }
        #expect(times.count == 7)
        #expect(times.held == 2)
        #expect(times.finish().epochs == [.init(start: 0, time: 0)])
    }
}
