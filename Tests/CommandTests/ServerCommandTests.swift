import Foundation
import TestSupport
import Testing

/// What the commands that start a server have in common.
@Suite(.namesCommands) struct ServerCommandTests {
    /// The commands, each with the path of a response.
    enum Command: CaseIterable, Sendable {
        case origin, gallery, play

        var path: String {
            switch self {
            case .origin: "/run/0"
            case .gallery: "/full/0"
            case .play: "/base.js"
            }
        }

        /// Runs a body with the server's address.
        func serving(_ options: [String], openFiles: Int? = nil, _ body: (_ address: String) throws -> Void) throws {
            try withTemporaryFolder { folder in
                let service = try Service(try arguments(folder) + options, openFiles: openFiles)
                try withExtendedLifetime(service) { try body(service.address) }
            }
        }

        private func arguments(_ folder: URL) throws -> [String] {
            switch self {
            case .origin: return ["origin", "Traces/photo-feed.jsonl"]
            case .play: return ["play", "Traces/stress-search.jsonl"]
            case .gallery:
                let image = Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x3B])
                try image.write(to: folder.appendingPathComponent("dot.gif"))
                return [
                    "record", "gallery", folder.path, "--thumbnails", "off", "--output", folder.path + "/session.jsonl",
                ]
            }
        }
    }

    @Test("--allow-host adds names that requests can have", arguments: Command.allCases)
    func allowedHosts(command: Command) throws {
        try command.serving(["--allow-host", "phone.test", "--allow-host", "Tablet.test"]) { address in
            for host in ["127.0.0.1", "localhost:1", "10.0.2.2", "phone.test", "tablet.test:8080"] {
                #expect(try PlainHTTP.text(address + command.path, host: host).hasPrefix("HTTP/1.1 200 "), "\(host)")
            }
            let refused = try PlainHTTP.text(address + command.path, host: "evil.example")
            #expect(refused.hasPrefix("HTTP/1.1 421 ") && refused.contains("--allow-host evil.example"), "\(refused)")
        }
    }

    @Test(
        "A host with a scheme, a port or a path is no name",
        arguments: ["http://phone.test", "phone.test:80", "phone.test/", "", "*"])
    func invalidNames(name: String) throws {
        for command in [["origin", "Traces/photo-feed.jsonl"], ["record", "gallery", "."], ["play"]] {
            try Binary.refuse(64, "'\(name)' is not a host name", command + ["--allow-host", name])
        }
    }

    @Test("With 64 open files, 300 idle clients do not shut out a new one", arguments: Command.allCases)
    func fewFiles(command: Command) throws {
        try command.serving([], openFiles: 64) { address in
            var idle: [RawConnection] = []
            for number in 1...300 {
                idle.append(try PlainHTTP.connect(address))
                guard number.isMultiple(of: 20) else { continue }
                #expect(try PlainHTTP.text(address + command.path).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }
}
