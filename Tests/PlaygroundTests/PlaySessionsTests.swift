import Basics
import ReplayEngine
import SessionModel
import Testing

@testable import Playground

@Suite("Sessions are read when they are asked for")
struct PlaySessionsTests {
    /// Returns sessions that count how often they are read. The session "broken" cannot be read.
    private func sessions(_ names: [String], _ count: Locked<[String: Int]>, images: Int = 4) -> [PlayOptions.Session] {
        names.map { name in
            PlayOptions.Session(path: "folder/\(name).jsonl", name: name) {
                count.withLock { $0[name, default: 0] += 1 }
                guard name != "broken" else {
                    throw TraceError(file: "folder/broken.jsonl", "line 3 is not JSON")
                }
                return PlaySupport.list(images: images, passes: 1)
            }
        }
    }

    @Test("Once, also if several threads ask")
    func once() throws {
        let count = Locked<[String: Int]>([:])
        let all = PlaySessions(sessions(["a", "b"], count), registry: .builtIn, mostBytes: 1 << 30)
        let names = try Parallel.map(20) { _ in try all.session(1).name }
        #expect(names == [String](repeating: "b", count: 20))
        let reads = count.withLock { $0 }
        #expect(reads == ["b": 1])
        #expect(all.facts(of: 1)?.requests == 4 && all.facts(of: 0) == nil)
    }

    @Test("A broken one keeps its reason, and others go on")
    func broken() throws {
        let count = Locked<[String: Int]>([:])
        let all = PlaySessions(sessions(["broken", "b"], count), registry: .builtIn, mostBytes: 1 << 30)
        for _ in 0..<2 {
            let error = #expect(throws: PlayFailure.self) { _ = try all.session(0) }
            #expect(error?.description.contains("folder/broken.jsonl") == true)
            #expect(error?.kind == .failed)
        }
        #expect(all.problem(of: 0)?.contains("line 3 is not JSON") == true)
        let name = try all.session(1).name
        #expect(name == "b")
        let reads = count.withLock { $0 }
        #expect(reads == ["broken": 1, "b": 1])
    }

    @Test("The oldest leaves memory when others need the room, and is read again")
    func room() throws {
        let count = Locked<[String: Int]>([:])
        let all = PlaySessions(sessions(["a", "b", "c"], count), registry: .builtIn, mostBytes: 1)
        for place in [0, 1, 2, 0] { _ = try all.session(place) }
        #expect(all.loadedCount == 1)
        let reads = count.withLock { $0 }
        #expect(reads == ["a": 2, "b": 1, "c": 1])
        // What is known of the others stays.
        #expect(all.facts(of: 1)?.requests == 4)
    }

    @Test("A session without a cell has no replays, and says so")
    func empty() throws {
        let all = PlaySessions(
            [PlaySupport.session("empty", Trace())], registry: .builtIn, mostBytes: 1 << 20)
        let error = #expect(throws: PlayFailure.self) { _ = try all.session(0) }
        #expect(error?.description.contains("no cell ever appears") == true)
    }

    @Test("The page begins with the first session that can be read")
    func start() throws {
        let count = Locked<[String: Int]>([:])
        var options = PlayOptions(version: "1", sessions: sessions(["broken", "b", "c"], count))
        options.parts = nil
        let playground = try Playground(options)
        let start = try PlaySupport.value(playground.start { false })
        #expect(start["question"]["session"].text == "b")
        #expect(start["sessions"][0]["problem"].text?.contains("folder/broken.jsonl") == true)
        #expect(start["sessions"][1]["requests"].number == 4)
        #expect(start["sessions"][2]["requests"] == .null)
        #expect(start["figures"]["rows"].list.count > 3)
        let reads = count.withLock { $0 }
        #expect(reads == ["broken": 1, "b": 1])
    }

    @Test("Sessions that are found later follow the first ones, with the people among them")
    func later() throws {
        let found = MonotonicSemaphore()
        let playground = try PlaySupport.playground { options in
            options.later = {
                _ = found.wait()
                return PlayOptions.Later(
                    sessions: [
                        PlaySupport.session("p1", PlaySupport.list(images: 3, passes: 1)),
                        PlaySupport.session("p2", PlaySupport.list(images: 4, passes: 1)),
                    ],
                    populations: [PlayOptions.Population(name: "people", sessions: [0, 1])])
            }
        }
        let first = try PlaySupport.value(playground.start { false })
        #expect(first["complete"] == .bool(false) && first["sessions"].list.count == 1)
        #expect(first["figures"]["rows"].list.count > 3)
        // A window that closes does not wait.
        let overtaken = try PlaySupport.value(playground.allSessions { true })
        #expect(overtaken["sessions"].list.count == 1)
        found.signal()
        for _ in 0..<2 {
            let all = try PlaySupport.value(playground.allSessions { false })
            #expect(all["sessions"].list.compactMap(\.["name"].text) == ["list", "p1", "p2", "people"])
            #expect(all["error"] == .null)
        }
        let start = try PlaySupport.value(playground.start { false })
        #expect(start["complete"] == .bool(true))
        let session = try playground.sessions.session(2)
        #expect(session.name == "p2" && session.requests == 4)
    }

    @Test("An archive that cannot be read leaves the first sessions, and its reason", arguments: [false, true])
    func laterFails(hasNameTwice: Bool) throws {
        let playground = try PlaySupport.playground { options in
            options.later = {
                guard hasNameTwice else { throw PlayFailure(.failed, "people.tar: copy it again") }
                return PlayOptions.Later(sessions: [PlaySupport.session("list", PlaySupport.list(images: 3, passes: 1))]
                )
            }
        }
        let all = try PlaySupport.value(playground.allSessions { false })
        #expect(all["sessions"].list.count == 1)
        let error = all["error"].text ?? ""
        #expect(error.contains(hasNameTwice ? "Two sessions are called 'list'" : "copy it again"), "\(error)")
    }
}
