import CacheTiers
import CacheTraces
import Foundation
import Testing

@testable import TraceRecording

@Suite("Proxy: upstreams over TLS")
struct ProxyTLSTests {
    @Test(
        "The certificate is verified by the system's certificates, by a file, or not, by option",
        .enabled(if: TLSUpstream.isAvailable, "openssl is not installed"))
    func certificates() throws {
        try withProxyScratch { folder in
            let upstream = try TLSUpstream(in: folder)
            let refused = try proxying(upstream.address) { proxy in
                let answer = proxy.ask("GET /photo.png")
                #expect(
                    answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("certificate") && answer.contains("--cacert"),
                    "\(answer)")
            }
            #expect(refused.fetches.map(\.status) == [0])
            for change in [{ $0.certificates = upstream.certificate }, { $0.isInsecure = true }]
                as [(inout ProxyOptions) -> Void]
            {
                let trace = try proxying(upstream.address, change) { proxy in
                    let answer = proxy.ask("GET /photo.png")
                    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\npixels"), "\(answer)")
                }
                #expect(trace.keys == ["\(upstream.address)/photo.png"])
                #expect(trace.fetches.map(\.bytes) == [6])
            }
        }
    }
}

/// `openssl s_server` with a self-signed certificate, which serves the files of a folder.
final class TLSUpstream {
    let address: String
    let certificate: String
    private let process = Process()
    private let hasEnded = DispatchSemaphore(value: 0)

    static let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"].first(
        where: FileManager.default.isExecutableFile)
    static var isAvailable: Bool { openssl != nil }

    /// Writes `certificate.pem` and `key.pem` for localhost, and returns the path of the first.
    static func makeCertificate(in folder: URL) throws -> String {
        let make = Process()
        make.executableURL = URL(fileURLWithPath: try #require(openssl))
        make.currentDirectoryURL = folder
        make.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem",
        ]
        make.standardError = FileHandle.nullDevice
        let hasEnded = DispatchSemaphore(value: 0)
        make.terminationHandler = { _ in hasEnded.signal() }
        try make.run()
        hasEnded.wait()
        return folder.appendingPathComponent("certificate.pem").path
    }

    init(in folder: URL) throws {
        certificate = try Self.makeCertificate(in: folder)
        // With -HTTP, a file is a complete response with its head.
        try Data("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 6\r\n\r\npixels".utf8)
            .write(to: folder.appendingPathComponent("photo.png"))
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.openssl))
        process.currentDirectoryURL = folder
        process.arguments = ["s_server", "-accept", "0", "-cert", "certificate.pem", "-key", "key.pem", "-HTTP"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
        // "ACCEPT 0.0.0.0:40123" or "ACCEPT [::]:40123"
        var line = ""
        while !line.hasSuffix("\n") || !line.contains("ACCEPT") {
            let data = try #require(try output.fileHandleForReading.read(upToCount: 1))
            if data.isEmpty { break }
            line += String(decoding: data, as: UTF8.self)
        }
        let port = try #require(
            line.split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
        address = "https://localhost:\(port)"
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        hasEnded.wait()
    }
}
