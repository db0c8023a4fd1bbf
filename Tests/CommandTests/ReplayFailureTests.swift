import Foundation
import Testing

@Suite("cachereplay replay, when it goes wrong", .namesCommands)
struct ReplayFailureTests {
    /// One appearance per tenth of a second.
    private func trace(in folder: URL, seconds: Int, bytes: Int = 1_000) throws -> String {
        var text = "{\"cachereplay_trace\":1}\n"
        for index in 0..<seconds * 10 {
            text +=
                """
                {"t":\(index * 100_000),"e":"fetch","key":"k\(index)","status":200,"bytes":\(bytes),"ttfb_us":5000}\n
                """
            text += "{\"t\":\(index * 100_000),\"e\":\"appear\",\"key\":\"k\(index)\"}\n"
        }
        return try folder.write(text, to: "trace.jsonl")
    }

    @Test("A trace that cannot be replayed is refused before anything is written")
    func refused() throws {
        try withTemporaryFolder { folder in
            let trace = try folder.write("time,key,size\n0,a,10\n4000000,b,10\n", to: "long.csv")
            let run = try Binary.run(
                "replay", trace, "--cache", "lru(1MB)", "--timing", "modelled", "--output",
                folder.appendingPathComponent("o").path)
            #expect(run.status == 65)
            #expect(run.output.isEmpty, "\(run.output)")
            #expect(run.errors.contains("46 days") && run.errors.contains("long.csv"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("o").path))
        }
    }

    @Test("An object too large to be fetched is reported, not counted as a failure of the network")
    func hugeObject() throws {
        try withTemporaryFolder { folder in
            let lines =
                """
                {"t":0,"e":"fetch","key":"film","status":200,"bytes":300000000}\n{"t":0,"e":"appear","key":"film"}\n
                """
            let trace = try folder.write("{\"cachereplay_trace\":1}\n" + lines, to: "huge.jsonl")
            let run = try Binary.run(
                "replay", trace, "--cache", "lru(1GB)", "--output", folder.appendingPathComponent("o").path)
            #expect(run.status == 65)
            #expect(run.errors.contains("film") && run.errors.contains("--timing modelled"), "\(run.errors)")
        }
    }

    @Test("A second replay into the folder of a running one is refused, and changes nothing")
    func twoReplays() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o").path
            let arguments = [
                "replay", try trace(in: folder, seconds: 2), "--cache", "lru(1MB)", "--repeat", "1000", "--no-charts",
                "--output", output,
            ]
            let first = try Binary.start(arguments, output: .nullDevice, errors: .nullDevice)
            defer { first.terminate() }
            #expect(eventually(while: first) { FileManager.default.fileExists(atPath: output + "/run.json") })
            for more in [[], ["--resume"]] {
                try Binary.refuse(73, "another cachereplay", arguments + more)
            }
            #expect(first.isRunning)
        }
    }

    @Test("Signals end the command with their exit codes", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o")
            let process = try Binary.start(
                [
                    "replay", try trace(in: folder, seconds: 2), "--cache", "lru(1MB)", "--repeat", "1000",
                    "--no-charts", "--output", output.path,
                ], output: .nullDevice, errors: .nullDevice)
            // The scratch folder appears with the run.
            #expect(
                eventually {
                    let names = try? FileManager.default.contentsOfDirectory(atPath: output.path)
                    return names?.contains { $0.hasPrefix(".run-") } ?? false
                })
            kill(process.processIdentifier, number)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
            let left = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(!left.contains { $0.hasPrefix(".run-") }, "\(left)")
        }
    }

    @Test("A signal that comes before any work ends the command with its exit code too")
    func earlySignal() throws {
        try withTemporaryFolder { folder in
            // Reading from a named pipe without a writer keeps the command at its start.
            let pipe = folder.appendingPathComponent("trace.jsonl").path
            #expect(mkfifo(pipe, 0o600) == 0)
            let process = try Binary.start(["trace", "info", pipe], output: .nullDevice, errors: .nullDevice)
            let id = process.processIdentifier
            #expect(
                eventually { FileManager.default.contents(atPath: "/proc/\(id)/wchan").map { !$0.isEmpty } ?? false })
            // The handlers are the first thing that the command sets.
            #expect(eventually { Self.catches(id, SIGTERM) })
            kill(id, SIGTERM)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 143)
        }
    }

    /// Whether a process has a handler for a signal.
    private static func catches(_ process: pid_t, _ number: Int32) -> Bool {
        let status = FileManager.default.contents(atPath: "/proc/\(process)/status")
        let text = String(decoding: status ?? Data(), as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let mask = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
        else { return false }
        return mask >> UInt64(number - 1) & 1 == 1
    }

    @Test("Two requests 30 days apart cost no more than two a second apart: the timeline has rows for changes only")
    func longPause() throws {
        try withTemporaryFolder { folder in
            let trace = try folder.write("time,key,size\n0,a,10\n2592000,a,10\n", to: "sparse.csv")
            let output = folder.appendingPathComponent("o")
            try Binary.succeed(
                "replay", trace, "--cache", "lru(1MB)", "--timing", "modelled", "--no-charts", "--output", output.path)
            let rows = try output.text("timeline.csv").split(whereSeparator: \.isNewline)
            #expect(rows.count <= 4 && rows.last?.contains(",2592000,") == true, "\(rows)")
        }
    }

    @Test("With too few open files, and with a limit of the size of files, a replay ends with an error")
    func limits() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 2)
            for (limit, expected) in [("ulimit -n 8", "Too many open files; raise"), ("ulimit -f 1", "ulimit -f")] {
                let scratch = try folder.makeFolder("tmp")
                let run = try Binary.execute(
                    "/bin/sh",
                    [
                        "-c", "exec >/dev/null; \(limit); exec \"$0\" \"$@\"", Binary.path, "replay", trace, "--cache",
                        "memory: lru(1MB); disk: lru(1MB)", "--jobs", "4", "--repeat", "4", "--no-charts", "--output",
                        folder.path + "/o",
                    ], environment: ["TMPDIR": scratch.path])
                #expect([73, 74].contains(run.status.code) && run.errors.contains(expected), "\(limit): \(run)")
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [], "\(limit): no file is left"
                )
            }
        }
    }

    @Test("A replay with few open files succeeds or says so, and leaves no temporary file", arguments: 6...24)
    func fewOpenFiles(limit: Int) throws {
        try withTemporaryFolder { folder in
            let scratch = try folder.makeFolder("tmp")
            let (output, errors) = (folder.appendingPathComponent("o"), folder.appendingPathComponent("errors"))
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            let replay = try Binary.start(
                [
                    "replay", try trace(in: folder, seconds: 2), "--cache", "memory: lru(1MB); disk: lru(1MB)",
                    "--jobs", "4", "--repeat", "4", "--no-charts", "--output", output.path,
                ], environment: ["TMPDIR": scratch.path], openFiles: limit, output: .nullDevice,
                errors: FileHandle(forWritingTo: errors))
            replay.waitUntilExit()
            let text = try folder.text("errors")
            #expect(replay.terminationReason == .exit)
            #expect(replay.terminationStatus == 0 || text.lowercased().contains("too many open files"), "\(text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
            let left = (try? FileManager.default.contentsOfDirectory(atPath: output.path)) ?? []
            #expect(!left.contains { $0.hasPrefix(".") }, "\(left)")
        }
    }

    #if os(Linux)
    @Test("Without standard error, a failure is still an exit code")
    func deafStandardError() throws {
        let process = try Binary.start(
            ["replay", "nowhere.jsonl", "--cache", "lru(1MB)"], output: .nullDevice,
            errors: try #require(FileHandle(forWritingAtPath: "/dev/full")))
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 66)
    }

    /// Processes with these arguments.
    private func processes(_ arguments: String...) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            let line =
                FileManager.default.contents(atPath: "/proc/\(process)/cmdline").map {
                    String(decoding: $0, as: UTF8.self)
                } ?? ""
            return arguments.allSatisfy(line.contains)
        }
    }

    @Test("A run that is killed takes its processes with it, and the next one removes what it left")
    func killed() throws {
        try withTemporaryFolder { folder in
            // Its run fetches 20,000 objects.
            let trace = try trace(in: folder, seconds: 2_000)
            let output = folder.appendingPathComponent("o").path
            let arguments = ["replay", trace, "--cache", "lru(1MB)", "--no-charts", "--output", output]
            let process = try Binary.start(arguments, output: .nullDevice, errors: .nullDevice)
            #expect(eventually { !processes("replay-run", folder.path).isEmpty })
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(eventually { processes(folder.path).isEmpty })
            func scratch() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: output).filter { $0.hasPrefix(".run-") }
            }
            #expect(try scratch().count == 1)
            #expect(try Binary.run(arguments + ["--timing", "modelled"]).status == 0)
            #expect(try scratch().isEmpty)
        }
    }

    @Test("Ctrl-C ends a replay whose origin stands still, before or after it has printed its address")
    func stoppedOrigin() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 300)
            for _ in 1...3 {
                let process = try Binary.start(
                    ["replay", trace, "--cache", "lru(1MB)", "--no-charts", "--force", "--output", folder.path + "/o"],
                    output: .nullDevice, errors: .nullDevice)
                func origins() -> [pid_t] {
                    processes("origin", "cachereplay-traces-\(process.processIdentifier)-")
                }
                #expect(eventually { !origins().isEmpty || !process.isRunning })
                for origin in origins() { kill(origin, SIGSTOP) }
                process.interrupt()
                #expect(eventually { !process.isRunning })
                if process.isRunning { kill(process.processIdentifier, SIGKILL) }
                process.waitUntilExit()
                #expect(process.terminationStatus == 130 || process.terminationStatus == 0)
                #expect(eventually { origins().isEmpty })
            }
        }
    }

    @Test(
        "With little memory, a replay ends, and so do its processes: none waits for a thread that cannot be created",
        arguments: [300, 330, 360, 390])
    func littleMemory(megabytes: Int) throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 2)
            _ = try Binary.execute(
                "/usr/bin/prlimit",
                [
                    "--as=\(megabytes << 20)", Binary.path, "replay", trace, "--cache", "lru(1MB)", "--cache",
                    "fifo(1MB)",
                ]
                    + ["--jobs", "2", "--no-charts", "--output", folder.path + "/o"],
                environment: ["TMPDIR": folder.path])
            #expect(eventually { processes(folder.path).isEmpty })
        }
    }

    @Test("An origin that dies in the middle fails the run, and the message names the origin")
    func originDies() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 2_000)
            let output = folder.appendingPathComponent("o").path
            _ = FileManager.default.createFile(atPath: folder.path + "/errors", contents: nil)
            let process = try Binary.start(
                ["replay", trace, "--cache", "lru(1MB)", "--no-charts", "--output", output],
                output: .nullDevice, errors: try FileHandle(forWritingTo: folder.appendingPathComponent("errors")))
            #expect(eventually { !processes("replay-run", folder.path).isEmpty })
            // The origin reads the trace that its parent has compiled.
            for origin in processes("origin", "cachereplay-traces-\(process.processIdentifier)-") {
                kill(origin, SIGKILL)
            }
            process.waitUntilExit()
            #expect(process.terminationStatus == 74)
            let errors = try folder.text("errors")
            #expect(errors.contains("origin"), "\(errors)")
            #expect(!FileManager.default.fileExists(atPath: output + "/runs.jsonl"))
        }
    }
    #endif
}
