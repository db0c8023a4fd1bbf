import CacheTiers
import Foundation
import SessionModel
import TestSupport
import Testing

@testable import TraceRecording

@Suite("Proxy: failures")
struct ProxyFailureTests {
    @Test(
        "A missing, unknown or invalid upstream is an error in one sentence, recorded as a fetch without response"
    )
    func upstreamDown() throws {
        let gone = try serving(trace(sizes: [1])) { $0.address }
        let mute = RawUpstream { connection, _ in false }
        let plain = try LoopbackOrigin(trace: trace(sizes: [1]))
        defer { try? plain.stopAndWait() }
        let babble = RawUpstream.saying("who are you?\r\n\r\n")
        for (upstream, word) in [
            (gone, "no server listens"), ("http://nowhere.invalid", "nowhere.invalid is unknown"),
            (mute.address, "broke the connection"),
            (babble.address, "failed"), ("https://127.0.0.1:\(plain.port)", "a secure connection"),
        ] {
            let trace = try proxying(upstream) { proxy in
                let answer = proxy.ask("GET /a.jpg")
                #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains(word), "\(upstream): \(answer)")
                #expect(proxy.counts.failed == 1)
            }
            #expect(trace.appearances == [.full])
            #expect(trace.fetches == [Fetch(status: 0, bytes: 0)])
        }
    }

    @Test(
        "A failure within the body resets the client's connection, so that the body does not look complete",
        arguments: [
            OriginFault.resetHalfway, .truncate, .stall,
        ])
    func brokenBodies(fault: OriginFault) throws {
        try serving(trace(sizes: [400_000, 10]), { $0.faults = [0: fault] }) { origin in
            let recorded = try proxying(
                origin.address,
                { options in
                    options.recordsAll = true
                    options.limits.upstreamTimeout = .milliseconds(100)
                }
            ) { proxy in
                let client = try makeClient()
                let response = client.fetch("\(proxy.address)/run/0")
                #expect(response.failure?.kind == .reset && response.payload == nil, "\(response)")
                #expect(client.fetch("\(proxy.address)/run/1").payload?.count == 10, "the proxy goes on")
            }
            #expect(recorded.fetches.map(\.status) == [0, 200])
            #expect(recorded.fetches[1].bytes == 10)
            if fault == .truncate { #expect(recorded.fetches[0].bytes == 200_000) }
            #expect(recorded.objects.map(\.bytes) == [nil, 10])
        }
    }

    @Test("An incomplete body without announced length does not look complete either")
    func brokenChunks() throws {
        let upstream = RawUpstream.saying(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: image/png\r\n\r\n5\r\nhello\r\n")
        let trace = try proxying(upstream.address) { proxy in
            let answer = proxy.ask(raw: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(!answer.isWhole && !answer.text.contains("0\r\n\r\n"))
        }
        #expect(trace.fetches.map(\.status) == [0])
    }

    @Test("A silent upstream is a 504 after the timeout")
    func silentUpstream() throws {
        let hold = DispatchSemaphore(value: 0)
        let upstream = RawUpstream { connection, _ in
            hold.wait()
            return false
        }
        defer { hold.signal() }
        let trace = try proxying(upstream.address, { $0.limits.upstreamTimeout = .milliseconds(50) }) { proxy in
            let answer = proxy.ask("GET /a.png")
            #expect(answer.hasPrefix("HTTP/1.1 504 ") && answer.contains("no progress"), "\(answer)")
        }
        #expect(trace.fetches.map(\.status) == [0])
    }

    @Test("Errors of the upstream are forwarded with their body, and recorded with their status")
    func errorStatuses() throws {
        let upstream = RawUpstream.saying(
            "HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\nRetry-After: 9\r\nContent-Length: 4\r\n\r\nbusy")
        let trace = try proxying(upstream.address) { proxy in
            let answer = proxy.ask("GET /a.webp?size=2")
            #expect(
                answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("Retry-After: 9\r\n")
                    && answer.hasSuffix("\r\n\r\nbusy"))
            _ = proxy.ask("GET /api")
        }
        #expect(trace.keys == ["\(upstream.address)/a.webp?size=2"])
        #expect(trace.fetches.map(\.status) == [503] && trace.fetches.map(\.bytes) == [4])
        #expect(trace.objects[0].bytes == nil && trace.objects[0].contentType == nil, "the error's, not the image's")
    }

    @Test("A response before the end of the request is forwarded, and ends the connection")
    func earlyAnswer() throws {
        let upstream = RawUpstream.saying("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nmuch", keepsAlive: true)
        try proxying(upstream.address, { $0.limits.client.bodyTimeout = .milliseconds(50) }) { proxy in
            let connection = RawConnection(port: proxy.port)
            connection.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
            let answer = connection.receiveAll().text
            #expect(
                answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("Connection: close\r\n")
                    && answer.hasSuffix("\r\n\r\nmuch"), "\(answer)")
        }
    }

    @Test("A client that disconnects, with or without a reset, cancels the transfer", arguments: [true, false])
    func clientLeaves(inGoodOrder: Bool) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        let upstream = RawUpstream { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 1000\r\n\r\nhalf")
            while let piece = connection.receive(), !piece.isEmpty {}
            hasEnded.signal()
            return false
        }
        let trace = try proxying(upstream.address) { proxy in
            do {
                let connection = RawConnection(port: proxy.port)
                connection.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = connection.receiveHead()
                #expect(connection.receive(exactly: 4) == Array("half".utf8))
                if inGoodOrder { connection.leave() } else { connection.reset() }
            }
            #expect(hasEnded.wait(timeout: .now() + 30) == .success)
        }
        #expect(trace.fetches.map(\.status) == [0] && trace.fetches.map(\.bytes) == [4])
    }

    @Test("A proxy that is stopped records its current requests")
    func stops() throws {
        let hold = DispatchSemaphore(value: 0)
        let upstream = RawUpstream { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 1000\r\n\r\nhalf")
            hold.wait()
            return false
        }
        defer { hold.signal() }
        var connection: RawConnection?
        let trace = try proxying(upstream.address) { proxy in
            connection = RawConnection(port: proxy.port)
            connection?.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = connection?.receiveHead()
        }
        #expect(connection?.receiveAll().isWhole != nil)
        #expect(trace.appearances == [.full] && trace.fetches.map(\.status) == [0])
    }

    @Test("A proxy that is stopped during a request is released with its journal")
    func isReleased() throws {
        let hold = DispatchSemaphore(value: 0)
        let upstream = RawUpstream { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 1000\r\n\r\nhalf")
            hold.wait()
            return false
        }
        defer { hold.signal() }
        try withProxyScratch { folder in
            weak var journal: TraceJournal?
            do {
                let made = try TraceJournal(path: folder.path + "/proxy.jsonl", header: TraceHeader(title: "proxy"))
                journal = made
                let proxy = try RecordingProxy(
                    ProxyOptions(upstream: UpstreamAddress(upstream.address)), recordingInto: made)
                let connection = RawConnection(port: proxy.port)
                connection.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = connection.receiveHead()
                try proxy.stopAndWait()
            }
            // The threads of the proxy end soon after it has stopped.
            let deadline = ContinuousClock.now + .seconds(20)
            while journal != nil, ContinuousClock.now < deadline { sched_yield() }
            #expect(journal == nil)
        }
    }

    @Test("A port in use and a missing file of certificates are errors")
    func cannotStart() throws {
        try serving(trace(sizes: [1])) { origin in
            let port = #expect(throws: ProxyError.self) {
                try proxying(origin.address, { $0.port = origin.port }) { _ in }
            }
            #expect(port?.kind == .portInUse)
            let folder = try TemporaryFolder()
            let file = #expect(throws: ProxyError.self) {
                try proxying(origin.address, { $0.certificates = folder.url("missing.pem").path }) { _ in }
            }
            #expect(file?.kind == .noCertificates)
        }
    }
}
