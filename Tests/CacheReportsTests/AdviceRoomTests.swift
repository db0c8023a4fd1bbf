import Foundation
import ImageLibraries
import ReplayEngine
import SessionModel
import Testing

@testable import Advising
@testable import CacheReports
@testable import Runs

@Suite("The room that advice leaves")
struct AdviceRoomTests {
    // MARK: Means

    @Test("Means are over users: sessions of a user count together, and users without visible time do not")
    func means() {
        let users = ["u", nil, "u", "v"]
        // u has 4 and 2 of 20, the session without a user 5 and 5 of 10, and v nothing of nothing.
        let means = AdviceRoom.means([[1, 2], [5, 5], [3, 0], [0, 0]], of: [10, 10, 10, 0], users: users)
        #expect(abs(means[0] - (0.2 + 0.5) / 2) < 1e-12 && abs(means[1] - (0.1 + 0.5) / 2) < 1e-12)
        #expect(AdviceRoom.means([[0, 0]], of: [0], users: [nil]) == [0, 0])
    }

    // MARK: Sentences

    /// An advice over one session, in which a leaves 4.6 % blank and b 4.8 %, with a limit of 64 MB.
    private func advice(keep: String? = nil, budget: Int? = 64_000_000, _ room: AdviceRoom) -> Advice {
        let candidates = ["a", "b"].map { Advice.Candidate(cache: $0, limit: budget, name: $0) }
        var question = Advice.Question(budget: budget)
        question.keep = keep
        var advice = Advice(.blank(["a", "b"], [[46, 48]]), candidates, question, seed: 1, threads: 1)
        advice.room = room
        return advice
    }

    /// 2.5 %: 1.2 are first bytes, 0.575 transfers, 0.5 the limit of memory, and 0.225 the link.
    private let least = AdviceRoom.Least([0.012, 0.005_75, 0, 0.005, 0.002_25], ownRatio: 0.046)

    @Test("The answer ends with a bound, the best that was found, and the two largest parts of the bound")
    func bound() throws {
        let room = AdviceRoom(cache: "a", sessions: 1, networks: ["lte"], least: least)
        let finding = try #require(advice(room).findings.last)
        #expect(
            finding.text == """
                No cache of 64 MB over lte without prefetching leaves less than 2.5% blank; the best here leaves 4.6%. \
                Of the 2.5%, first bytes are 48%, transfers 23%. Prefetching with foresight could remove almost all of \
                it.
                """)
        #expect(finding.subject == .room && finding.caches == ["a"])
        #expect(finding.evidence.map(\.metric) == ["blank_ratio"] && finding.evidence.map(\.value) == [0.046])
        // Nothing says that points can be gained.
        #expect(!finding.text.contains("gain"))
    }

    @Test("The bound is rounded down")
    func rounding() {
        // 1.2 and 1.2999 %.
        let least = AdviceRoom.Least([0.012, 0.012_999, 0, 0, 0], ownRatio: 0.046)
        let room = AdviceRoom(cache: "a", sessions: 1, networks: ["lte"], least: least)
        #expect(
            advice(room).left[0].text.contains("leaves less than 2.4% blank; the best here leaves 4.6%. Of the 2.4%, "))
    }

    @Test("Where no bound holds, the sentence has the reason; other caches without one are named in detail")
    func exempt() throws {
        let ahead = AdviceRoom(
            cache: "a", sessions: 1, networks: ["lte"], exempt: [.init(cache: "a", reasons: ["prefetches"])])
        #expect(
            advice(ahead).left.map(\.text) == [
                """
                How much better it could get is not known: no bound of the blank time holds for a, because it \
                prefetches, which with foresight could remove almost all blank time.
                """
            ])
        #expect(advice(ahead).exempt.isEmpty)
        let other = AdviceRoom(
            cache: "a", sessions: 1, networks: ["lte"],
            exempt: [.init(cache: "b", reasons: ["has_second_memory", "exceeds_limit"])], least: least)
        // The best of those that it holds for is named: b may be better.
        #expect(advice(other).left[0].text.contains("leaves less than 2.5% blank; a leaves 4.6%."))
        let sentence = "The bound does not hold for b, which has a second memory, and held more than its limit."
        #expect(advice(other).exempt.map(\.text) == [sentence])
        #expect(advice(other).document().plain().contains(sentence))
        #expect(!advice(other).document(details: false).plain().contains(sentence))
        let still = AdviceRoom(cache: "a")
        #expect(
            advice(still).left.map(\.text) == [
                "No session records that cells disappear, so no bound of the blank time is known."
            ])
    }

    // MARK: Searches

    /// A network over which each fetch takes 0.5 s, and the bytes take no time.
    private static let network = ReplayJob.Network.profile(
        NetworkProfile(name: "far", bytesPerSecond: 1e9, connect: 0, firstByte: 500_000_000))

    /// A session with one picture that is visible for some seconds, and then for a second again.
    private func session(_ name: String, seconds: Int64, disappears: Bool = true) throws -> AdviceSession {
        var builder = TraceBuilder()
        let object = builder.object("https://\(name).example/a.jpg")
        builder.update(object) { $0.bytes = 1_000 }
        for (start, end) in [(0, seconds), (seconds + 1, seconds + 2)] {
            builder.append(TraceEvent(time: start * 1_000_000, .appear(object, .full)))
            if disappears { builder.append(TraceEvent(time: end * 1_000_000, .disappear(object, .full))) }
        }
        let prepared = try PreparedTrace(builder.finish(), network: Self.network)
        return AdviceSession(name: name, user: nil, size: 0, fingerprint: { name }) { .init(prepared, Self.network) }
    }

    private func space(_ specification: String) throws -> AdviceSpace {
        AdviceSpace(try CacheConfiguration(specification: specification), memory: [1_000_000])
    }

    private func search(
        _ specifications: [String], _ sessions: [AdviceSession], _ options: AdviceReplays.Options = .init(),
        _ change: (inout Advice.Question) -> Void = { _ in }
    ) throws -> Advice {
        let spaces = try specifications.map { try space($0) }
        var question = Advice.Question(budget: 1_000_000)
        change(&question)
        return try Advice.search(AdviceReplays(spaces, sessions, options), question, .init())
    }

    @Test("The bound of two people is the mean of theirs, and a cache that never loads twice has just that")
    func found() throws {
        // Blank for 0.5 of 2 s, and for 0.5 of 4 s: 25 % and 12.5 %.
        let sessions = try [session("one", seconds: 1), session("two", seconds: 3)]
        let advice = try search(["lru(1MB)"], sessions)
        let room = try #require(advice.room)
        let least = try #require(room.least)
        #expect(room.sessions == 2 && room.networks == ["far"] && room.exempt.isEmpty)
        #expect(abs(least.firstBytes - 0.1875) < 1e-6 && least.memory < 1e-6 && least.link < 1e-6)
        #expect(least.blankRatio <= least.ownRatio && least.ownRatio < 0.2)
        #expect(abs(least.ownRatio - advice.rows[0].blankRatio) < 1e-9)
        // On a sample of one session, it is that of this one.
        var options = Advice.SearchOptions()
        options.sample = 1
        let replays = AdviceReplays([try space("lru(1MB)")], sessions, .init())
        let sampled = try Advice.search(replays, .init(budget: 1_000_000), options)
        #expect(abs(try #require(sampled.room?.least).firstBytes - 0.25) < 1e-6)
        #expect(sampled.left[0].text.contains(" on 1 of 2 sessions. Of the "))
    }

    @Test("Several threads find the same bound")
    func threads() throws {
        let sessions = try (1...5).map { try session("s\($0)", seconds: Int64($0)) }
        var options = AdviceReplays.Options()
        let one = try search(["lru(1MB)", "fifo(1MB)"], sessions, options)
        options.threads = 3
        #expect(try search(["lru(1MB)", "fifo(1MB)"], sessions, options).room == one.room)
    }

    @Test("A cache that lets each request fetch for itself is exempt, and leaves out the bound if it is the answer")
    func exemptions() throws {
        let sessions = [try session("one", seconds: 1)]
        let alone = "lru(1MB); coalesce: false"
        let advice = try search([alone, "lru(1MB)"], sessions) { $0.keep = "lru(1MB)" }
        #expect(advice.room?.least != nil && advice.room?.exempt.map(\.reasons) == [["does_not_coalesce"]])
        #expect(advice.room?.cache == "lru(1MB)")
        let kept = try search([alone], sessions)
        #expect(kept.room?.least == nil)
        #expect(kept.left[0].text.hasSuffix("because it lets each request fetch for itself."))
    }

    @Test("Without disappearances, no bound is known, and after a limit of time, nothing is said")
    func unknown() throws {
        let still = try session("still", seconds: 1, disappears: false)
        let bytes = try search(["lru(1MB)"], [still]) { $0.objective = .bytes }
        #expect(bytes.room?.sessions == 0 && bytes.left[0].text.hasPrefix("No session records that cells disappear"))
        var options = AdviceReplays.Options()
        options.deadline = ContinuousClock.now
        let cut = try search(["lru(1MB)"], [try session("one", seconds: 1)], options)
        #expect(cut.room == nil && cut.left.isEmpty && cut.search?.isComplete == false)
    }
}
