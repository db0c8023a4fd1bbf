import Foundation
import Testing

@Suite("cachereplay record gallery", .namesCommands) struct RecordGalleryTests {
    /// The header of a GIF of one pixel, and a few bytes.
    private static let image = Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x3B])

    @Test("A killed recorder leaves a valid trace with every acknowledged event")
    func killed() throws {
        try recording { process, address, trace in
            try visit(address)
            #expect(
                eventually { (try? String(contentsOfFile: trace, encoding: .utf8))?.contains(#""e":"fetch""#) == true })
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(try Command.run("validate", "--syntax", trace).status == 0)
            let information = try Command.run("trace", "info", "--json", trace)
            #expect(information.status == 0 && information.output.contains(#""requests":1"#), "\(information.output)")
        }
    }

    @Test("Ctrl-C ends the recording with a summary and the next command")
    func interrupted() throws {
        try recording { process, address, trace in
            try visit(address)
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            let said = String(decoding: try Data(contentsOf: URL(fileURLWithPath: trace + ".err")), as: UTF8.self)
            #expect(said.contains("1 appearances, 1 fetches"), "\(said)")
            #expect(said.contains("clocks agree within 0.3 ms"), "\(said)")
            #expect(said.contains("Next: cachereplay replay \(trace) --cache"), "\(said)")
            #expect(try Command.run("validate", "--syntax", trace).status == 0)
        }
    }

    @Test("A browser that ends its recording replays it on a page of its own, which ends with the command")
    func replays() throws {
        try recording { process, address, trace in
            try visit(address)
            let isFetched = eventually {
                (try? String(contentsOfFile: trace, encoding: .utf8))?.contains(#""e":"fetch""#) == true
            }
            #expect(isFetched)
            let answer = try ask(address + "played", body: #"{"client":"browser01","batches":[]}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let members = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
            let page = try #require(members?["address"] as? String)
            let start = try ask(page + "start", body: nil)
            #expect(start.status == 200 && start.text.contains(#""session":"session""#), "\(start.text.prefix(500))")
            let again = try ask(address + "played", body: #"{"client":"browser01","batches":[]}"#)
            #expect(again.text == answer.text)
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(throws: PlainHTTP.Unreachable.self) { _ = try PlainHTTP.text(page) }
        }
    }

    @Test("Missing inputs have an error message with a remedy, and the right exit code")
    func errors() throws {
        try withTemporaryFolder { folder in
            let images = try folder.makeFolder("images")
            try Command.refuse(66, "there is no such folder", "record", "gallery", folder.path + "/nowhere")
            try Command.refuse(65, "Put JPEG, PNG, GIF, WebP or AVIF files into it", "record", "gallery", images.path)
            try Self.image.write(to: images.appendingPathComponent("dot.gif"))
            try Binary.refuse(
                69, "libvips-tools", ["record", "gallery", images.path], in: folder, environment: ["PATH": folder.path])
            let taken = try folder.write("mine", to: "taken.jsonl")
            let exists = try Command.run("record", "gallery", images.path, "--thumbnails", "off", "--output", taken)
            #expect(exists.status == 73 && exists.errors.contains("exists already"))
            #expect(try folder.text("taken.jsonl") == "mine")
            let nowhere = try Command.run(
                "record", "gallery", images.path, "--thumbnails", "off", "--output",
                folder.path + "/no/such/folder.jsonl")
            #expect(nowhere.status == 73)
            for wrong in [["--bandwidth", "fast"], ["--latency", "80"], ["--loss", "100%"], ["--port", "70000"]] {
                #expect(try Command.run(["record", "gallery", images.path] + wrong).status == 64, "\(wrong)")
            }
        }
    }

    /// Starts the command with a folder that contains one image. Standard error goes to the trace's path with `.err`
    /// appended.
    private func recording(_ body: (Process, _ address: String, _ trace: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let images = try folder.makeFolder("images")
            try Self.image.write(to: images.appendingPathComponent("dot.gif"))
            let trace = folder.appendingPathComponent("session.jsonl").path
            _ = FileManager.default.createFile(atPath: trace + ".err", contents: nil)
            let errors = try #require(FileHandle(forWritingAtPath: trace + ".err"))
            let output = Pipe()
            let process = try Binary.start(
                ["record", "gallery", images.path, "--thumbnails", "off", "--output", trace],
                output: output.fileHandleForWriting, errors: errors)
            defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            try body(process, line.trimmingCharacters(in: .whitespacesAndNewlines), trace)
        }
    }

    /// Sends the requests of a page with one appearance.
    private func visit(_ address: String) throws {
        let batch = { (sequence: Int, events: String) in
            #"{"client":"browser01","batches":[{"visit":"visit0001","sequence":\#(sequence),"#
                + #""clock_error_us":300,"events":[\#(events)]}]}"#
        }
        #expect(try fetch(address, body: nil) == 200)
        #expect(try fetch(address + "hello", body: batch(1, "")) == 200)
        #expect(try fetch(address + "events", body: batch(1, #"{"t":1,"e":"appear","n":0}"#)) == 204)
        #expect(try fetch(address + "full/0?c=browser01", body: nil) == 200)
    }

    private func fetch(_ address: String, body: String?) throws -> Int { try ask(address, body: body).status }

    private func ask(_ address: String, body: String?) throws -> (status: Int, text: String) {
        let response = try PlainHTTP.ask(address, body: body.map { Data($0.utf8) })
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}
