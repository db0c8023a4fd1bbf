import Basics
import Foundation
import Testing

@testable import Playground

@Suite("The work of the playground is bounded, and newer questions overtake") struct PlayWorkTests {
    private static let wait = "\"wait\""

    @Test("A newer question of a window ends the older one at the same path")
    func overtaking() throws {
        try withPlay { server in
            let (first, second) = (try PlayClient(server), try PlayClient(server))
            first.send(PlayAsk(turn: 1, body: Self.wait))
            #expect(playEventually { server.runningCount == 1 })
            let newer = second.ask(PlayAsk(turn: 2, body: "2"))
            #expect(newer.status == 200 && newer.body == "2")
            let older = first.receive()
            #expect(older.status == 409 && older.error.contains("overtaken"))
            #expect(playEventually { server.runningCount == 0 })
            // It arrives late, on another connection.
            let late = first.ask(PlayAsk(turn: 1, body: "1"))
            #expect(late.status == 409)
        }
    }

    @Test("Other paths and other windows go on")
    func others() throws {
        try withPlay { server in
            let curve = try PlayClient(server)
            curve.send(PlayAsk("curve", turn: 1, body: Self.wait))
            #expect(playEventually { server.runningCount == 1 })
            for (window, path) in [("window-1", "figures"), ("window-1", "moves"), ("window-2", "curve")] {
                let response = try server.ask(PlayAsk(path, window: window, turn: 5, body: "5"))
                #expect(response.status == 200, "\(window) \(path)")
            }
            #expect(playEventually { server.runningCount == 1 })
            let newer = try server.ask(PlayAsk("curve", turn: 2, body: "2"))
            #expect(newer.status == 200)
            #expect(curve.receive().status == 409)
        }
    }

    @Test("A waiting question is overtaken without being asked")
    func waiting() throws {
        let asked = Locked<[String]>([])
        let answer: AnsweringDouble.Answer = { request, question, isOvertaken in
            asked.withLock { $0.append(question) }
            return try AnsweringDouble.waiting(request, question, isOvertaken)
        }
        // However slow this machine is, no other thread begins.
        try withPlay(answer: answer, change: { $0.work.patience = .seconds(300) }) { server in
            let busy = try (1...2).map { _ in try PlayClient(server) }
            for (number, client) in busy.enumerated() {
                client.send(PlayAsk("film", window: "busy-\(number)", body: Self.wait))
            }
            #expect(playEventually { server.runningCount == 2 })
            let clients = try (1...3).map { _ in try PlayClient(server) }
            for (place, client) in clients.enumerated() {
                client.send(PlayAsk("curve", turn: place + 1, body: "\(place + 1)"))
                if place > 0 { #expect(clients[place - 1].receive().status == 409) }
            }
            busy[0].close()
            #expect(clients[2].receive().body == "3")
            let seen = asked.withLock { $0 }
            #expect(seen.filter { $0 != Self.wait } == ["3"])
        }
    }

    @Test("Figures do not wait for two curves that take long")
    func urgent() throws {
        try withPlay { server in
            let curves = try (1...2).map { _ in try PlayClient(server) }
            for (number, client) in curves.enumerated() {
                client.send(PlayAsk("curve", window: "window-\(number)", body: Self.wait))
            }
            #expect(playEventually { server.runningCount == 2 })
            let figures = try server.ask(PlayAsk("figures", body: "1"))
            #expect(figures.status == 200)
            // A client that is not used again would be closed before.
            for client in curves { client.close() }
        }
    }

    @Test("Questions that never end do not keep others from being answered")
    func endless() throws {
        try withPlay(change: { $0.work.patience = .milliseconds(50) }) { server in
            let endless = try (1...4).map { _ in try PlayClient(server) }
            for (number, client) in endless.enumerated() {
                client.send(PlayAsk("curve", window: "endless-\(number)", body: Self.wait))
            }
            #expect(playEventually { server.runningCount == 4 })
            let other = try server.ask(PlayAsk("curve", window: "other", body: "1"))
            #expect(other.status == 200)
            let figures = try server.ask(PlayAsk("figures", window: "other", body: "1"))
            #expect(figures.status == 200)
            for client in endless { client.close() }
        }
    }

    @Test("A question ends with its connection, and at its time limit")
    func ends() throws {
        try withPlay { server in
            let client = try PlayClient(server)
            client.send(PlayAsk(body: Self.wait))
            #expect(playEventually { server.runningCount == 1 })
            client.close()
            #expect(playEventually { server.runningCount == 0 })
        }
        try withPlay(change: { $0.questionLimit = .milliseconds(200) }) { server in
            let response = try server.ask(PlayAsk(body: Self.wait))
            #expect(response.status == 500 && response.error.contains("took too long"), "\(response.body)")
            #expect(playEventually { server.runningCount == 0 })
        }
    }

    @Test("Sixteen windows can wait; a further one is refused, and idle ones make room")
    func windows() throws {
        try withPlay { server in
            for number in 1...40 {
                let response = try server.ask(PlayAsk(window: "idle-\(number)", body: "1"))
                #expect(response.status == 200, "\(number)")
            }
            var clients: [PlayClient] = []
            for number in 1...16 {
                let client = try PlayClient(server)
                client.send(PlayAsk("film", window: "window-\(number)", body: Self.wait))
                clients.append(client)
                #expect(playEventually { server.unansweredCount == number })
            }
            let refused = try server.ask(PlayAsk(window: "further", body: "1"))
            #expect(refused.status == 503 && refused.error.contains("Close some of them"), "\(refused.body)")
            let known = try server.ask(PlayAsk(window: "window-3", body: "1"))
            #expect(known.status == 200)
            for client in clients { client.close() }
            #expect(playEventually { server.unansweredCount == 0 })
            let accepted = try server.ask(PlayAsk(window: "further", body: "1"))
            #expect(accepted.status == 200)
        }
    }

    @Test("Ten thousand requests as fast as they come are answered or overtaken")
    func flood() throws {
        try withPlay { server in
            let counts = Locked<[Int: Int]>([:])
            let group = DispatchGroup()
            for lane in 0..<4 {
                group.enter()
                Thread.detachNewThread { [group] in
                    defer { group.leave() }
                    guard let client = try? PlayClient(server) else { return }
                    for number in 0..<2_500 {
                        let response = client.ask(PlayAsk(window: "window-\(lane % 2)", turn: number, body: "1"))
                        counts.withLock { $0[response.status, default: 0] += 1 }
                    }
                }
            }
            group.wait()
            let (answered, overtaken) = counts.withLock { ($0[200] ?? 0, $0[409] ?? 0) }
            #expect(answered + overtaken == 10_000)
            // The last question of a window is answered.
            #expect(answered >= 2)
            let after = try server.ask(PlayAsk(window: "after", body: "1"))
            #expect(after.status == 200)
            #expect(playEventually { server.unansweredCount == 0 })
        }
    }

    @Test("The server ends although questions do not, and says so")
    func stop() throws {
        let server = try PlayServer(AnsweringDouble(reply: AnsweringDouble.waiting)) { _, _ in [] }
        let client = try PlayClient(server)
        client.send(PlayAsk(body: Self.wait))
        #expect(playEventually { server.runningCount == 1 })
        try server.stopAndWait()
        // The response may be lost with the connection.
        let response = client.receive()
        #expect([0, 503].contains(response.status))
        // The connection is closed. The port may belong to another server by now.
        #expect(client.ask(.get("start")).status == 0)
    }
}
