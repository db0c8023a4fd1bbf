import CSQLite
import Foundation
import Synchronization

@testable import CacheTiers
@testable import MeasuredTiers

/// Faults of a disk tier's file calls, by number: the nth call that changes something is the last one before a crash,
/// or the nth call fails. Also reaches the calls that SQLite makes while ``current`` is set.
final class InjectedFaults: FileFaults {
    enum Plan: Sendable {
        case none
        /// After this many changes, no call has any effect, as if the process had been killed. If `tears` is true, the
        /// next write writes half of its bytes before.
        case crash(after: Int, tears: Bool)
        /// The call with this number fails with an error number, and so do all later ones if `lasts` is true.
        case fail(at: Int, code: Int32, lasts: Bool)
        /// Each write writes half of its bytes, at least one.
        case shortWrites
    }

    private enum Verdict {
        case make, half, halfThenDead
        case fail(Int32)
    }

    private struct State {
        var calls = 0
        var folderCalls = 0
        var isDead = false
        var hasStruck = false
    }

    private let plan: Plan
    private let state = Mutex(State())

    init(_ plan: Plan) { self.plan = plan }

    /// Whether the plan's fault has happened.
    var hasStruck: Bool { state.withLock { $0.hasStruck } }

    func handle(_ call: FileCall, _ make: () -> Int) -> Int {
        switch call {
        case .close: make()  // A dead process closes its files too.
        case .write(let file, let first, let second):
            handle(writes: true, half: { Self.writeHalf(file, first, second) }, make)
        case .open(_, _, let flags) where flags & O_DIRECTORY != 0: isSample() ? handle(make) : make()
        case .open(_, _, let flags): handle(changes: flags & (O_CREAT | O_TRUNC) != 0, make)
        case .read: handle(make)
        case .makeFolder: isSample() ? handle(changes: true, make) : make()
        case .synchronize, .setDates, .rename, .remove: handle(changes: true, make)
        }
    }

    /// Some layouts have hundreds of subfolders, and the calls on them are alike: one in 50 of them is numbered. Once a
    /// process is dead, none is made.
    private func isSample() -> Bool {
        state.withLock { state in
            defer { state.folderCalls += 1 }
            return state.isDead || state.folderCalls < 5 || state.folderCalls % 50 == 0
        }
    }

    /// `half` makes half of a write and returns the number of bytes.
    func handle(
        changes: Bool = false, writes: Bool = false, half: () -> Int = { 0 }, _ make: () -> Int
    ) -> Int {
        switch verdict(changes: changes || writes, writes: writes) {
        case .make: return make()
        case .half: return half()
        case .halfThenDead:
            _ = half()
            errno = EIO
            return -1
        case .fail(let code):
            errno = code
            return -1
        }
    }

    private func verdict(changes: Bool, writes: Bool) -> Verdict {
        state.withLock { state in
            switch plan {
            case .none: return .make
            case .crash(let count, let tears):
                if state.isDead { return .fail(EIO) }
                guard changes else { return .make }
                state.calls += 1
                guard state.calls > count else { return .make }
                (state.isDead, state.hasStruck) = (true, true)
                return tears && writes ? .halfThenDead : .fail(EIO)
            case .fail(let number, let code, let lasts):
                state.calls += 1
                guard state.calls == number || lasts && state.calls > number else { return .make }
                state.hasStruck = true
                return .fail(code)
            case .shortWrites: return writes ? .half : .make
            }
        }
    }

    private static func writeHalf(_ file: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer)
        -> Int
    {
        let bytes = Array(first) + Array(second)
        return write(file, bytes, (bytes.count + 1) / 2)
    }

    // MARK: SQLite

    /// The faults of SQLite's calls in this task.
    @TaskLocal static var current: InjectedFaults?

    /// Runs the body with these faults, also in SQLite's calls.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = Self.hooks
        return try Self.$current.withValue(self) { try body() }
    }

    /// Replaces SQLite's calls that change files, once. Without faults in the task, they do what they did before.
    private static let hooks: Void = {
        guard let system = sqlite3_vfs_find(nil), let replace = system.pointee.xSetSystemCall else { return }
        let open: @convention(c) (UnsafePointer<CChar>, Int32, mode_t) -> Int32 = { path, flags, mode in
            Int32(make(changes: flags & O_CREAT != 0) { Int(Foundation.open(path, flags, mode)) })
        }
        let write: @convention(c) (Int32, UnsafeRawPointer, Int) -> Int = { file, bytes, count in
            makeWrite(count) { Foundation.write(file, bytes, $0) }
        }
        let writeAt: @convention(c) (Int32, UnsafeRawPointer, Int, off_t) -> Int = { file, bytes, count, offset in
            makeWrite(count) { pwrite(file, bytes, $0, offset) }
        }
        let truncate: @convention(c) (Int32, off_t) -> Int32 = { file, size in
            Int32(make(changes: true) { Int(ftruncate(file, size)) })
        }
        let remove: @convention(c) (UnsafePointer<CChar>) -> Int32 = { path in
            Int32(make(changes: true) { Int(unlink(path)) })
        }
        _ = replace(system, "open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self))
        _ = replace(system, "write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
        _ = replace(system, "pwrite", unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self))
        _ = replace(system, "pwrite64", unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self))
        _ = replace(system, "ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
        _ = replace(system, "unlink", unsafeBitCast(remove, to: sqlite3_syscall_ptr.self))
    }()

    private static func make(changes: Bool, _ call: () -> Int) -> Int {
        current?.handle(changes: changes, call) ?? call()
    }

    /// SQLite regards a short write as a full disk, so that a plan of short writes leaves its writes alone.
    private static func makeWrite(_ count: Int, _ call: (Int) -> Int) -> Int {
        guard let current else { return call(count) }
        if case .shortWrites = current.plan { return call(count) }
        return current.handle(writes: true, half: { call((count + 1) / 2) }, { call(count) })
    }
}
