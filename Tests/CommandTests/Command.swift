import Basics
import Dispatch
import Foundation
import Testing

@testable import CacheReplayCommand

/// The command, called in the process of the tests where it starts no program of its own: for tests of its files, its
/// text and its exit code.
///
/// Tests of signals, streams, terminals, limits and the environment start processes (``Binary``).
enum Command {
    /// Calls the command in a folder, and returns when it has ended.
    static func run(_ arguments: String..., in folder: URL = Binary.root) throws -> Binary.Outcome {
        try run(arguments, in: folder)
    }

    /// Commands that start no process for a run. The processes of runs end with their parent, and would stay children
    /// of the tests, where the exit tests of Swift Testing wait for all children.
    private static let withoutRuns: Set = ["chart", "compare", "export", "list", "merge", "simulate", "trace"]

    static func run(_ arguments: [String], in folder: URL = Binary.root) throws -> Binary.Outcome {
        guard let name = arguments.first, withoutRuns.contains(name) else {
            return try Binary.run(arguments, in: folder)
        }
        let texts = Locked((output: Data(), errors: Data()))
        let invocation = Invocation(arguments, program: Binary.path) { data, stream in
            texts.withLock { texts in
                switch stream {
                case .output: texts.output += data
                case .errors: texts.errors += data
                }
            }
        }
        guard let code = try code(of: invocation, in: folder) else { return try Binary.run(arguments, in: folder) }
        let (output, errors) = texts.withLock { texts in
            (String(decoding: texts.output, as: UTF8.self), String(decoding: texts.errors, as: UTF8.self))
        }
        return Binary.outcome(code, of: [Binary.path] + arguments, output, errors)
    }

    /// Calls the command, and requires that it succeeds.
    @discardableResult static func succeed(
        _ arguments: String..., in folder: URL = Binary.root, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Binary.Outcome {
        try run(arguments, in: folder).succeeded(sourceLocation)
    }

    @discardableResult static func succeed(
        _ arguments: [String], in folder: URL = Binary.root, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Binary.Outcome {
        try run(arguments, in: folder).succeeded(sourceLocation)
    }

    /// Calls the command, and expects that it fails with an exit status and a message.
    static func refuse(
        _ code: Int32, _ message: String, _ arguments: String..., in folder: URL = Binary.root,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try run(arguments, in: folder).refused(code, message, sourceLocation)
    }

    static func refuse(
        _ code: Int32, _ message: String, _ arguments: [String], in folder: URL = Binary.root,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try run(arguments, in: folder).refused(code, message, sourceLocation)
    }

    /// Replays a trace with modelled timing through one cache, and returns its row of `summary.csv`.
    static func modelledRow(_ trace: String, _ cache: String, _ options: String...) throws -> [String: String] {
        try withTemporaryFolder { folder in
            try succeed(
                [
                    "replay", trace, "--timing", "modelled", "--no-charts", "--cache", cache, "--output",
                    folder.path + "/o",
                ]
                    + options)
            let found = rows(try folder.text("o/summary.csv"))
            // A cache of Darwin's NSCache has a row for each other model of it.
            let own = found.first { $0["cache"]?.hasSuffix("]") == false } ?? found.first
            return try #require(own, "\(found)")
        }
    }

    /// Calls the command on a thread with the stack of a process, and returns its exit code; nil if no thread can have
    /// a working folder of its own.
    private static func code(of invocation: Invocation, in folder: URL) throws -> Int32? {
        let code = Locked<Int32?>(nil)
        let ended = DispatchSemaphore(value: 0)
        try Invocation.$current.withValue(invocation) {
            try DetachedThread.start {
                if ThreadFolder.enter(folder.path) {
                    let returned = CacheReplay.run(invocation.arguments)
                    code.withLock { $0 = returned }
                }
                ended.signal()
            }
        }
        ended.wait()
        return code.withLock(\.self)
    }
}

/// The working folder of one thread and of those that it starts.
private enum ThreadFolder {
    /// Parts this thread from the working folder of the process, and moves it to a folder. Returns false where the
    /// system does not allow it: on macOS, and in containers without the call `unshare`.
    static func enter(_ path: String) -> Bool {
        #if os(Linux)
        // The C library's header hides the function from Swift.
        guard let symbol = dlsym(nil, "unshare") else { return false }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let workingFolder: Int32 = 0x200
        return unshare(workingFolder) == 0 && chdir(path) == 0
        #else
        return false
        #endif
    }
}
