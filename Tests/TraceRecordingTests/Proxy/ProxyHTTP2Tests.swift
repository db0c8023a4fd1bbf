import CacheTraces
import Foundation
import Testing

@testable import TraceRecording

@Suite("Proxy: upstreams over HTTP/2")
struct ProxyHTTP2Tests {
    @Test(
        "Requests share one HTTP/2 connection to the upstream, and bodies pass in both directions",
        .enabled(if: HTTP2Upstream.isAvailable, "node or openssl is not installed"))
    func sharesConnection() throws {
        try withProxyScratch { folder in
            let upstream = try HTTP2Upstream(in: folder)
            let trace = try proxying(upstream.address, { $0.certificates = upstream.certificate }) { proxy in
                for number in 0..<5 {
                    let answer = proxy.ask("GET /\(number)")
                    #expect(answer.contains("x-seen: 2.0 1 0\r\n") && answer.contains("pixels"), "\(answer)")
                }
                let body = String(repeating: "x", count: 300_000)
                let put = proxy.ask(
                    raw:
                        "PUT /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Content-Length: 300000\r\n\r\n\(body)"
                )
                #expect(put.text.contains("x-seen: 2.0 1 300000\r\n"), "\(put.text)")
            }
            #expect(trace.fetches.map(\.status) == [200, 200, 200, 200, 200])
        }
    }
}

/// A Node.js server, whose responses contain the protocol, the connections so far, and the length of the request's
/// body.
private final class HTTP2Upstream {
    let address: String
    let certificate: String
    private let process = Process()
    private let hasEnded = DispatchSemaphore(value: 0)

    private static let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].first(
        where: FileManager.default.isExecutableFile)
    static var isAvailable: Bool { node != nil && TLSUpstream.isAvailable }

    private static let program = """
        const fs = require('fs')
        const server = require('http2').createSecureServer({key: fs.readFileSync('key.pem'), cert: \
        fs.readFileSync('certificate.pem')})
        let sessions = 0
        server.on('session', () => { sessions += 1 })
        server.on('request', (request, response) => {
          let count = 0
          request.on('data', data => { count += data.length })
          request.on('end', () => {
            response.writeHead(200, {'content-type': 'image/png', 'x-seen': `${request.httpVersion} ${sessions} \
        ${count}`})
            response.end('pixels')
          })
        })
        server.listen(0, '127.0.0.1', () => console.log(server.address().port))
        """

    init(in folder: URL) throws {
        certificate = try TLSUpstream.makeCertificate(in: folder)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.node))
        process.currentDirectoryURL = folder
        process.arguments = ["-e", Self.program]
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        address = "https://localhost:\(port)"
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        hasEnded.wait()
    }
}
