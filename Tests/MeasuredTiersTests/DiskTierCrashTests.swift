import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: every crash and every failing call of a short story")
struct DiskTierCrashTests {
    static let formats = DiskLayout.allCases.flatMap { layout in
        [true, false].map { DiskFormat(layout: layout, atomicWrites: $0) }
    }

    /// The process ends after each change of a file in turn, and at each write that was half done. The next start finds
    /// each object as it was before the step that was under way, or as it is after it.
    @Test("After a crash at any call, a restart serves what was stored before", arguments: formats, [false, true])
    func crashes(format: DiskFormat, tears: Bool) throws {
        let expected = try CrashStory(format).contents()
        var points = 0
        for count in 0... {
            let story = try CrashStory(format)
            let faults = InjectedFaults(.crash(after: count, tears: tears))
            let step = faults.run { () -> Int in
                var tier = try? story.open(faults, at: 0)
                if tier == nil { return -1 }
                for step in CrashStory.steps.indices {
                    try? CrashStory.make(step, &tier) { try story.open(faults, at: step) }
                    if faults.hasStruck { return step }
                }
                return CrashStory.steps.count
            }
            guard faults.hasStruck else { break }
            points += 1
            let context = "crash after \(count) changes, in step \(step)"
            let none = InjectedFaults(.none)
            try none.run {
                let tier = try story.open(none, at: max(0, step))
                let served = try story.served(tier, at: max(0, step), context)
                // With in-place writes, a torn file is a miss.
                let allowed = Self.allowed(expected, step, tearsFiles: !format.atomicWrites)
                for key in CrashStory.keys {
                    let isRight = allowed[key, default: [nil]].contains(served[key])
                    #expect(isRight, "\(context): key \(key) is of step \(served[key].map(String.init) ?? "none")")
                }
                try story.checkUsable(tier, context)
            }
        }
        #expect(points > 30, "the story has more calls than that")
    }

    /// For each key, what it may have after a crash in a step: what it had before the step, or after it.
    private static func allowed(_ expected: [CrashStory.Contents], _ step: Int, tearsFiles: Bool) -> [Int: Set<Int?>] {
        let (before, after) = (expected[max(0, step)], expected[min(step + 1, expected.count - 1)])
        var allowed: [Int: Set<Int?>] = [:]
        // An eviction that was under way can be made anew, in the order of the files' dates.
        let isEvicting = before.keys.contains { after[$0] == nil }
        for key in CrashStory.keys {
            allowed[key] = [before[key], after[key]]
            if isEvicting { allowed[key]?.insert(nil) }
            if tearsFiles, CrashStory.steps.indices.contains(step), case .store(key, _) = CrashStory.steps[step] {
                allowed[key]?.insert(nil)
            }
        }
        return allowed
    }

    @Test("Writes that write less than asked are continued", arguments: formats)
    func shortWrites(format: DiskFormat) throws {
        let expected = try CrashStory(format).contents()
        let story = try CrashStory(format)
        let faults = InjectedFaults(.shortWrites)
        try faults.run {
            var tier: DiskTier? = try story.open(faults, at: 0)
            for step in CrashStory.steps.indices {
                try CrashStory.make(step, &tier) { try story.open(faults, at: step) }
                for key in CrashStory.keys {
                    #expect(tier?.contains(sampleKey(key)) == (expected[step + 1][key] != nil))
                }
            }
            let served = try story.served(#require(tier), at: CrashStory.steps.count - 1, "short writes")
            #expect(served == expected.last)
        }
    }

    /// Nothing but the marker is synchronized, so a loss of power can leave any part of the bytes, and names in another
    /// order. The database is not part of this: SQLite synchronizes its log, and is tested for it by its authors.
    @Test(
        "After a loss of power, a restart serves only whole and right objects",
        arguments: formats.filter { $0.layout != .sqlite })
    func powerLoss(format: DiskFormat) throws {
        let original = try CrashStory(format)
        let recorded = RecordedCalls()
        var tier: DiskTier? = try original.open(recorded, at: 0)
        for step in CrashStory.steps.indices {
            try CrashStory.make(step, &tier) { try original.open(recorded, at: step) }
        }
        tier = nil
        let changes = recorded.changes
        var seen = 0
        func check(_ files: FilesAfterPowerLoss, _ context: String) throws {
            let story = try CrashStory(format)
            try files.write(to: story.path, insteadOf: original.path)
            let tier = try story.open(InjectedFaults(.none), at: 0)
            seen += try story.served(tier, at: 0, context).count
            try story.checkUsable(tier, context)
        }
        // Creating a subfolder is one change: their number says nothing new.
        let firstOfObjects = changes.firstIndex { if case .setDates = $0 { true } else { false } } ?? 0
        for count in max(0, firstOfObjects - 4)...changes.count {
            for bytes in FilesAfterPowerLoss.Bytes.allCases {
                try check(
                    FilesAfterPowerLoss(changes, first: count, bytes: bytes), "\(bytes) of \(count) changes")
            }
            for lost in max(0, count - 12)..<count where changes.canLose(lost, before: count) {
                try check(
                    FilesAfterPowerLoss(changes, first: count, without: lost),
                    "\(count) changes without number \(lost), \(changes[lost])")
            }
        }
        #expect(seen > 20, "many of these folders have objects")
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var code: Int32
        var lasts: Bool
        var testDescription: String { String(cString: strerror(code)) + (lasts ? ", lasting" : ", once") }
    }

    /// A failing call either has no effect, or the step throws. Nothing wrong is served, then or after a restart. In
    /// particular, a store that fails never leaves an older object of its key.
    @Test(
        "After a failure of any call, the tier and a restart serve only whole and right objects",
        arguments: formats,
        [Failure(code: EIO, lasts: false), Failure(code: ENOSPC, lasts: false), Failure(code: EIO, lasts: true)])
    func failures(format: DiskFormat, failure: Failure) throws {
        let expected = try CrashStory(format).contents()
        var points = 0
        for number in 1... {
            let story = try CrashStory(format)
            let faults = InjectedFaults(.fail(at: number, code: failure.code, lasts: failure.lasts))
            let context = "\(failure.testDescription), call \(number)"
            try faults.run {
                var tier = try Self.attempt(context) { try story.open(faults, at: 0) }
                // What each key may have, beside nothing: what was stored last.
                var held: [Int: Int] = [:]
                var mayReturn = false
                for step in CrashStory.steps.indices {
                    let didThrow =
                        try Self.attempt(context) {
                            try CrashStory.make(step, &tier) { try story.open(faults, at: step) }
                        } == nil
                    switch CrashStory.steps[step] {
                    // A failure to remove what it evicts does not undo it.
                    case .store(let key, _): held[key] = step
                    case .remove(let key): held[key] = nil
                    case .removeAll: held = [:]
                    // After a failure, files that could not be removed return.
                    case .restart: mayReturn = faults.hasStruck
                    case .read, .removeExpired: break
                    }
                    guard let tier, !didThrow else { continue }
                    let served = try Self.attempt(context) { try story.served(tier, at: step, context) } ?? [:]
                    if !faults.hasStruck { #expect(served == expected[step + 1], "\(context): step \(step)") }
                    for (key, source) in served where !mayReturn {
                        #expect(held[key] == source, "\(context): step \(step), key \(key)")
                    }
                }
            }
            guard faults.hasStruck else { break }
            points += 1
            let none = InjectedFaults(.none)
            try none.run {
                let tier = try story.open(none, at: CrashStory.steps.count - 1)
                _ = try story.served(tier, at: CrashStory.steps.count - 1, context)
                try story.checkUsable(tier, context)
            }
        }
        #expect(points > 70, "the story has more calls than that")
    }

    /// Returns nil if the body throws an error of the tier. Another error is an issue.
    private static func attempt<Result>(_ context: String, _ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as DiskTierError {
            #expect(error.description.hasPrefix("/") && error.description.contains(": "), "\(context): \(error)")
            return nil
        }
    }
}
