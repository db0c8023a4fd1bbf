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

    @Test(
        "Numbers that no run could come to are refused at once",
        arguments: [["--repeat", "1000000000000"], ["--clock", "wall", "--speed", "1e-300"]])
    func absurdNumbers(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 1)
            let run = try Binary.run(
                ["replay", trace, "--cache", "lru(1MB)", "--output", folder.appendingPathComponent("o").path]
                    + arguments)
            #expect(run.status == 64, "\(run.errors)")
            #expect(run.errors.contains(arguments[arguments.count - 2]), "\(run.errors)")
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

    @Test("A replay that cannot keep up with the wall clock says so, and fails with --strict-clock")
    func lateClock() throws {
        try withTemporaryFolder { folder in
            // At 1000 times the speed, an event is late after 16 microseconds: less than a thread takes to wake up.
            let arguments = [
                "replay", try trace(in: folder, seconds: 20), "--cache", "lru(1MB)", "--clock", "wall", "--speed",
                "1000",
                "--no-charts", "--output", folder.appendingPathComponent("o").path,
            ]
            let run = try Binary.run(arguments + ["--strict-clock"])
            #expect(run.status == 75, "\(run.errors)")
            #expect(run.errors.contains("1 of 1 runs could not keep up with the wall clock"), "\(run.errors)")
            #expect(run.output.contains("late events") && run.output.contains("could not keep up"), "\(run.output)")
            let lax = try Binary.run(arguments + ["--resume"])
            #expect(lax.status == 0 && lax.output.contains("could not keep up"), "\(lax.errors)")
            let virtual = try Binary.run("replay", arguments[1], "--cache", "lru(1MB)", "--strict-clock")
            #expect(virtual.status == 64 && virtual.errors.contains("--clock wall"), "\(virtual.errors)")
        }
    }

    @Test("A second replay into the folder of a running one is refused, and changes nothing")
    func twoReplays() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o").path
            let arguments = [
                "replay", try trace(in: folder, seconds: 60), "--cache", "lru(1MB)", "--clock", "wall", "--no-charts",
                "--output", output,
            ]
            let first = try Binary.start(arguments, output: .nullDevice, errors: .nullDevice)
            defer { first.terminate() }
            #expect(eventually(while: first) { FileManager.default.fileExists(atPath: output + "/run.json") })
            for more in [[], ["--resume"]] {
                let second = try Binary.run(arguments + more)
                #expect(second.status == 73 && second.errors.contains("another cachereplay"), "\(second)")
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
                    "replay", try trace(in: folder, seconds: 60), "--cache", "lru(1MB)", "--clock", "wall",
                    "--no-charts",
                    "--output", output.path,
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
            let run = try Binary.run(
                "replay", trace, "--cache", "lru(1MB)", "--timing", "modelled", "--no-charts", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let rows = try output.text("timeline.csv").split(whereSeparator: \.isNewline)
            #expect(rows.count <= 4 && rows.last?.contains(",2592000,") == true, "\(rows)")
        }
    }

    @Test("With too few open files, and with a limit of the size of files, a replay ends with an error")
    func limits() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 2)
            for (limit, expected) in [("ulimit -n 8", "Too many open files; raise"), ("ulimit -f 1", "ulimit -f")] {
                let errors = folder.appendingPathComponent("errors")
                _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
                let shell = Process()
                shell.executableURL = URL(fileURLWithPath: "/bin/sh")
                shell.arguments = [
                    "-c", "\(limit); exec \"$0\" \"$@\"", Binary.path, "replay", trace, "--cache",
                    "memory: lru(1MB); disk: lru(1MB)", "--jobs", "4", "--repeat", "4", "--no-charts", "--output",
                    folder.appendingPathComponent("o").path,
                ]
                let scratch = folder.appendingPathComponent("tmp")
                try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
                shell.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": scratch.path]) { $1 }
                shell.standardOutput = FileHandle.nullDevice
                shell.standardError = try FileHandle(forWritingTo: errors)
                try shell.run()
                shell.waitUntilExit()
                #expect(shell.terminationReason == .exit && [73, 74].contains(shell.terminationStatus), "\(limit)")
                let text = try folder.text("errors")
                #expect(text.contains(expected), "\(limit): \(text)")
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [], "\(limit): no file is left"
                )
            }
        }
    }

    @Test("A replay with few open files succeeds or says so, and leaves no temporary file", arguments: 6...24)
    func fewOpenFiles(limit: Int) throws {
        try withTemporaryFolder { folder in
            let scratch = folder.appendingPathComponent("tmp")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
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

    @Test("--resume does a run again that was made at another speed")
    func resumeAtAnotherSpeed() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 2)
            let output = folder.appendingPathComponent("o")
            func replay(_ speed: String) throws -> String {
                let run = try Binary.run(
                    "replay", trace, "--cache", "lru(1MB)", "--clock", "wall", "--speed", speed, "--resume",
                    "--no-charts", "--output", output.path)
                #expect(run.status == 0, "\(run.errors)")
                return try output.text("runs.jsonl")
            }
            let first = try replay("100")
            #expect(try replay("100") == first)
            #expect(try replay("50") != first)
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
            let trace = try trace(in: folder, seconds: 300)
            let output = folder.appendingPathComponent("o").path
            let arguments = ["replay", trace, "--cache", "lru(1MB)", "--no-charts", "--output", output]
            let process = try Binary.start(arguments + ["--clock", "wall"], output: .nullDevice, errors: .nullDevice)
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
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            process.arguments =
                [
                    "--as=\(megabytes << 20)", Binary.path, "replay", trace, "--cache", "lru(1MB)", "--cache",
                    "fifo(1MB)",
                ]
                + ["--jobs", "2", "--no-charts", "--output", folder.path + "/o"]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(eventually { processes(folder.path).isEmpty })
        }
    }

    @Test("An origin that dies in the middle fails the run, and the message names the origin")
    func originDies() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder, seconds: 300)
            let output = folder.appendingPathComponent("o").path
            _ = FileManager.default.createFile(atPath: folder.path + "/errors", contents: nil)
            let process = try Binary.start(
                ["replay", trace, "--cache", "lru(1MB)", "--clock", "wall", "--no-charts", "--output", output],
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
