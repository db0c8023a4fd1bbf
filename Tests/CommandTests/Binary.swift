import Basics
import Foundation
import Testing

/// The built command in a process, as a user runs it. Tests of its files and its text alone call ``Command``.
enum Binary {
    /// The root of the package: where README's commands are typed.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Beside the test bundle, where the package manager puts both.
    static let path: String = {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appendingPathComponent("cachereplay").path
        return FileManager.default.isExecutableFile(atPath: beside)
            ? beside : root.appendingPathComponent(".build/debug/cachereplay").path
    }()

    struct Outcome {
        var status: Status
        var output: String
        var errors: String

        /// Requires an exit status of 0.
        func succeeded(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
            try #require(status == 0, "\(errors)", sourceLocation: sourceLocation)
            return self
        }

        /// Expects an exit status and a message.
        func refused(_ code: Int32, _ message: String, _ sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(status == code && errors.contains(message), "\(status) \(errors)", sourceLocation: sourceLocation)
        }

        /// The object of JSON that the command has printed, after it has succeeded.
        func object(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(succeeded(sourceLocation).output.utf8))
            return try #require(object as? [String: Any], sourceLocation: sourceLocation)
        }

        /// The array of objects of JSON that the command has printed, after it has succeeded.
        func objects(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
            let objects = try JSONSerialization.jsonObject(with: Data(succeeded(sourceLocation).output.utf8))
            return try #require(objects as? [[String: Any]], sourceLocation: sourceLocation)
        }
    }

    /// The exit status of a process, or the negative number of the signal that ended it.
    ///
    /// An expectation that fails shows the command too: `(run.status → 64, from "cachereplay replay": …) == 0`.
    struct Status: CustomStringConvertible, CustomTestStringConvertible {
        var code: Int32
        /// The command line, and the first line of what it wrote to standard error.
        var command: String

        var description: String { "\(code)" }
        var testDescription: String { "\(code), from \(command)" }

        static func == (status: Status, code: Int32) -> Bool { status.code == code }
        static func != (status: Status, code: Int32) -> Bool { status.code != code }
    }

    /// Starts the command; `environment` is added to this process's own, and `openFiles` limits its open files.
    static func start(
        _ arguments: [String], in folder: URL = root, environment: [String: String] = [:], openFiles: Int? = nil,
        output: FileHandle, errors: FileHandle
    ) throws -> Process {
        let limited = openFiles.map { ["-c", "ulimit -n \($0) && exec \"$0\" \"$@\"", path] } ?? []
        return try launch(
            URL(fileURLWithPath: openFiles == nil ? path : "/bin/sh"), limited + arguments, in: folder, environment,
            output, errors)
    }

    /// Starts a program without input.
    static func launch(
        _ program: URL, _ arguments: [String], in folder: URL, _ environment: [String: String], _ output: FileHandle,
        _ errors: FileHandle
    ) throws -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Python must not write compiled modules beside the package's scripts.
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return process
    }

    /// Runs a program to its end, without input.
    static func execute(
        _ program: String, _ arguments: [String], in folder: URL = root, environment: [String: String] = [:]
    ) throws -> Outcome {
        try outcome { try launch(URL(fileURLWithPath: program), arguments, in: folder, environment, $0, $1) }
    }

    /// Runs the command to its end.
    static func run(_ arguments: String..., in folder: URL = root, environment: [String: String] = [:]) throws
        -> Outcome
    {
        try run(arguments, in: folder, environment: environment)
    }

    static func run(_ arguments: [String], in folder: URL = root, environment: [String: String] = [:]) throws -> Outcome
    {
        try outcome {
            try start(arguments, in: folder, environment: environment, output: $0, errors: $1)
        }
    }

    /// Runs the command to its end, and requires that it succeeds.
    @discardableResult static func succeed(
        _ arguments: String..., in folder: URL = root, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        try run(arguments, in: folder, environment: environment).succeeded(sourceLocation)
    }

    @discardableResult static func succeed(
        _ arguments: [String], in folder: URL = root, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        try run(arguments, in: folder, environment: environment).succeeded(sourceLocation)
    }

    /// Runs the command to its end, and expects that it fails with an exit status and a message.
    static func refuse(
        _ code: Int32, _ message: String, _ arguments: String..., in folder: URL = root,
        environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try run(arguments, in: folder, environment: environment).refused(code, message, sourceLocation)
    }

    static func refuse(
        _ code: Int32, _ message: String, _ arguments: [String], in folder: URL = root,
        environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try run(arguments, in: folder, environment: environment).refused(code, message, sourceLocation)
    }

    /// Waits for the end of a process that `start` starts with two open files.
    static func outcome(of start: (_ output: FileHandle, _ errors: FileHandle) throws -> Process) throws -> Outcome {
        try withTemporaryFolder { scratch in
            // Files, not pipes: nothing to drain, however much is printed.
            let files = ["out", "err"].map { scratch.appendingPathComponent($0) }
            for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
            let handles = try files.map { try FileHandle(forWritingTo: $0) }
            let process = try start(handles[0], handles[1])
            process.waitUntilExit()
            let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
            let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            let line = [process.executableURL?.path ?? ""] + (process.arguments ?? [])
            return outcome(status, of: line, texts[0], texts[1])
        }
    }

    /// Returns the outcome of a command that has ended, and keeps it for the issues of the test.
    ///
    /// - Parameter line: The path of the program, and the arguments.
    static func outcome(_ code: Int32, of line: [String], _ output: String, _ errors: String) -> Outcome {
        let words = [URL(fileURLWithPath: line[0]).lastPathComponent] + line.dropFirst()
        let reason = errors.split(separator: "\n").first.map { ": \($0.prefix(300))" } ?? ""
        let status = Status(code: code, command: "\"\(words.joined(separator: " ").prefix(600))\"\(reason)")
        CommandTrait.log?.withLock { $0 = status }
        return Outcome(status: status, output: output, errors: errors)
    }
}

/// Adds the last command of a test, its exit status and its reason to every issue: ``namesCommands``.
struct CommandTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    /// The last command of the test that runs.
    @TaskLocal fileprivate static var log: Locked<Binary.Status?>?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let log = Locked<Binary.Status?>(nil)
        try await Self.$log.withValue(log) {
            #if compiler(>=6.3)
            let naming: IssueHandlingTrait = .compactMapIssues { issue in
                var issue = issue
                if let last = log.withLock({ $0 }) {
                    issue.comments.append("The last command ends with \(last.testDescription)")
                }
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase, performing: function)
            #else
            try await function()
            #endif
        }
    }
}

extension Trait where Self == CommandTrait {
    /// Issues name the last command of the test. With Swift 6.2, only those of an exit status do.
    static var namesCommands: Self { CommandTrait() }
}

/// A program of the folder `scripts`, run as a user runs it.
enum Script {
    static func run(_ arguments: String..., in folder: URL = Binary.root, environment: [String: String] = [:]) throws
        -> Binary.Outcome
    {
        try run(arguments, in: folder, environment: environment)
    }

    /// Runs the script that the first argument names, by its path in the package.
    static func run(_ arguments: [String], in folder: URL = Binary.root, environment: [String: String] = [:]) throws
        -> Binary.Outcome
    {
        try Binary.execute(
            Binary.root.appendingPathComponent(arguments[0]).path, Array(arguments.dropFirst()), in: folder,
            environment: environment)
    }
}

/// Looks every few milliseconds until a condition holds. Returns false after five minutes, which only a machine that is
/// stuck needs, and when the process has ended without the condition.
func eventually(while process: Process? = nil, _ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(300)
    while !condition() {
        // What the process did last can be the condition.
        guard process?.isRunning != false else { return condition() }
        guard ContinuousClock.now < deadline else { return false }
        usleep(500)
    }
    return true
}

func withTemporaryFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-test-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

extension URL {
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: appendingPathComponent(name)), as: UTF8.self)
    }

    /// Makes a folder in this one, and returns it.
    func makeFolder(_ name: String) throws -> URL {
        let folder = appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Copies a bundled session into this folder.
    func copyTrace(_ name: String, to copy: String? = nil) throws {
        try FileManager.default.copyItem(
            at: Binary.root.appendingPathComponent("Traces/\(name)"), to: appendingPathComponent(copy ?? name))
    }

    /// Links files of the package into this folder.
    func link(_ names: String...) throws {
        for name in names {
            try FileManager.default.createSymbolicLink(
                at: appendingPathComponent(name), withDestinationURL: Binary.root.appendingPathComponent(name))
        }
    }

    /// Writes a file into this folder, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Writes a trace of six requests, and returns its path. LRU of two objects: A and B miss, A hits, C pushes B out,
    /// B pushes A out, A pushes C out.
    func writeSixRequests() throws -> String {
        let rows = ["0,A,10", "1,B,20", "2,A,10", "3,C,30", "4,B,20", "5,A,10"]
        return try write("time_us,key,size\n" + rows.joined(separator: "\n") + "\n", to: "a.csv")
    }

    /// Writes a program into this folder, and returns its path.
    func writeProgram(_ text: String, to name: String) throws -> String {
        try copyProgram(try write(text, to: name + ".text"), to: name)
    }

    /// Copies a program, and returns the path of the copy. A process of its own writes it: a program that is open for
    /// writing cannot be started, and each process that another test starts meanwhile has this process's open files for
    /// a moment.
    func copyProgram(_ source: String, to name: String) throws -> String {
        let program = appendingPathComponent(name).path
        let made = try Binary.execute("/usr/bin/install", ["-m", "755", source, program], in: self)
        try #require(made.status == 0, "\(made.errors)")
        return program
    }
}

/// A CSV without quotes, as rows of fields by column name.
func rows(_ csv: String) -> [[String: String]] {
    let lines = csv.split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let names = lines.first else { return [] }
    return lines.dropFirst().map { Dictionary(zip(names, $0)) { $1 } }
}
