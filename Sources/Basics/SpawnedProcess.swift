#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A child process, started with `posix_spawn` and reaped with `waitpid`.
///
/// The child inherits only its three standard streams. It starts with the default action for every signal. Safe to use
/// from several threads.
public final class SpawnedProcess: Sendable {
    /// Where one of the child's standard streams leads.
    public enum Stream: Sendable {
        /// A pipe, whose other end this process has.
        case pipe
        /// Nothing: reading ends at once, and what is written is lost.
        case none
        case file(Int32)
    }

    /// The surroundings of a child.
    public struct Surroundings: Sendable {
        /// The whole environment; nil for this process's own.
        public var environment: [String: String]?
        /// The working folder; nil for this process's own.
        public var folder: String?
        /// Whether the child leads a process group of its own, which ``SpawnedProcess/endGroup()`` and
        /// ``SpawnedProcess/endGroups()`` end with all that the child has started. A signal from the keyboard does not
        /// reach it.
        public var leadsGroup: Bool

        public init(environment: [String: String]? = nil, folder: String? = nil, leadsGroup: Bool = false) {
            (self.environment, self.folder, self.leadsGroup) = (environment, folder, leadsGroup)
        }
    }

    /// How a child ended.
    public enum End: Sendable, Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)

        /// The end as a phrase: `exit code 3`, or `signal 11 (Segmentation fault)`.
        public var description: String {
            switch self {
            case .exit(let status): "exit code \(status)"
            case .signal(let number): "signal \(number) (\(String(cString: strsignal(number))))"
            }
        }

        /// The exit code, or nil if a signal ended the process.
        public var status: Int32? { if case .exit(let status) = self { status } else { nil } }
    }

    public let id: pid_t
    /// This process's end of the pipes; -1 for other streams.
    public let output: Int32
    public let errors: Int32
    private let leadsGroup: Bool
    private let state: Locked<State>

    /// One child starts at a time: see `systemPipe`.
    private static let starting = Locked(())

    /// The children that lead a group, and are not reaped yet.
    private static let groups = Locked(Groups())

    private struct Groups {
        var leaders: Set<pid_t> = []
        var isClosed = false
    }

    private struct State {
        var input: Int32
        var end: End?
    }

    /// Starts a program.
    ///
    /// - Parameter arguments: Its arguments, without the program's name.
    /// - Throws: ``SystemError`` if the program cannot be started, or leads a group after ``endGroups()``.
    public init(
        _ program: String, _ arguments: [String], in surroundings: Surroundings = Surroundings(),
        input: Stream = .none, output: Stream = .none, errors: Stream = .none
    ) throws(SystemError) {
        let (environment, leadsGroup) = (surroundings.environment, surroundings.leadsGroup)
        self.leadsGroup = leadsGroup
        var (program, arguments) = (program, arguments)
        if let folder = surroundings.folder {
            // posix_spawn has no portable way to change the working folder.
            arguments = ["-c", #"cd "$1" && shift && exec "$@""#, "sh", folder, program] + arguments
            program = "/bin/sh"
        }
        var ends = Ends()
        let started = Self.starting.withLock { _ in
            Result { () throws(SystemError) in
                let streams = [try ends.open(input, isInput: true), try ends.open(output), try ends.open(errors)]
                guard leadsGroup else { return try Self.spawn(program, arguments, environment, streams) }
                return try Self.spawnLeader(program, arguments, environment, streams)
            }
        }
        switch started {
        case .success(let id): self.id = id
        case .failure(let error):
            ends.close(ends.ours + ends.theirs)
            throw error
        }
        ends.close(ends.theirs)
        (self.output, self.errors) = (ends.ours[1], ends.ours[2])
        state = Locked(State(input: ends.ours[0]))
    }

    deinit {
        state.withLock { Ends.closeIfOpen($0.input) }
        Ends.closeIfOpen(output)
        Ends.closeIfOpen(errors)
    }

    /// Whether the child still runs.
    public var isRunning: Bool { poll() == nil }

    /// Returns how the child ended, or nil if it still runs.
    public func poll() -> End? { state.withLock { reap(&$0, WNOHANG) } }

    /// Waits for the end of the child. Its pipes must be read meanwhile: a child that cannot write does not end.
    public func wait() -> End {
        // Waits without the lock, and without reaping, so that the id stays valid for `send`.
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { reap(&$0, 0) } ?? .exit(0)
    }

    /// Sends a signal, unless the child has ended.
    public func send(_ signal: Int32) {
        state.withLock { state in
            if reap(&state, WNOHANG) == nil { kill(id, signal) }
        }
    }

    /// Whether the child has ended. Unlike ``isRunning``, this does not reap it, so ``endGroup()`` still finds its
    /// group.
    public var hasEnded: Bool {
        state.withLock { state in
            guard state.end == nil else { return true }
            var info = siginfo_t()
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 {
                guard errno == EINTR else { return true }
            }
            // It stays 0 while the child runs.
            return info.si_signo != 0
        }
    }

    /// Ends the child at once and, if it leads a group, all processes of the group. A child that is reaped has no group
    /// any more.
    public func endGroup() {
        state.withLock { state in
            // The id belongs to no other process until the child is reaped.
            if state.end == nil { kill(leadsGroup ? -id : id, SIGKILL) }
        }
    }

    /// Ends the groups of all children that lead one, and lets no further child lead one: this process is about to end.
    public static func endGroups() {
        groups.withLock { groups in
            groups.isClosed = true
            for leader in groups.leaders { kill(-leader, SIGKILL) }
        }
    }

    /// This process's end of the pipe to the child's standard input; -1 for other streams, and when it is closed.
    public var input: Int32 { state.withLock { $0.input } }

    /// Closes the pipe to the child's standard input.
    public func closeInput() {
        state.withLock { state in
            Ends.closeIfOpen(state.input)
            state.input = -1
        }
    }

    /// Reads a pipe of the child to its end.
    public static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while true {
                let count = systemRead(descriptor, buffer)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                all.append(contentsOf: buffer[..<count])
            }
        }
        return all
    }

    private func reap(_ state: inout State, _ options: Int32) -> End? {
        if state.end == nil {
            guard leadsGroup else { return collect(&state, options) }
            Self.groups.withLock { groups in
                if collect(&state, options) != nil { groups.leaders.remove(id) }
            }
        }
        return state.end
    }

    private func collect(_ state: inout State, _ options: Int32) -> End? {
        var status: Int32 = 0
        var reaped = waitpid(id, &status, options)
        while reaped < 0, errno == EINTR { reaped = waitpid(id, &status, options) }
        guard reaped != 0 else { return nil }
        // The low seven bits are the signal; 0 stands for an exit.
        state.end = reaped < 0 ? .exit(0) : status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
        return state.end
    }

    /// Starts a child in a group of its own, unless ``endGroups()`` was called.
    private static func spawnLeader(
        _ program: String, _ arguments: [String], _ environment: [String: String]?, _ streams: [Int32]
    ) throws(SystemError) -> pid_t {
        try groups.withLock { groups in
            Result { () throws(SystemError) in
                guard !groups.isClosed else { throw SystemError(ECANCELED) }
                let id = try spawn(program, arguments, environment, streams, leadsGroup: true)
                groups.leaders.insert(id)
                return id
            }
        }.get()
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String]?, _ streams: [Int32],
        leadsGroup: Bool = false
    ) throws(SystemError) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        var flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        var flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        #endif
        if leadsGroup { flags |= Int16(POSIX_SPAWN_SETPGROUP) }
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        // 0 stands for a new group with the child's id.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, flags)

        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        var envp = (environment ?? [:]).map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var id: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&id, program, &actions, &attributes, &argv, environ)
            : posix_spawn(&id, program, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw SystemError(code) }
        return id
    }

    /// The ends of the three streams' pipes. All close when another program is executed.
    private struct Ends {
        var ours: [Int32] = []
        var theirs: [Int32] = []

        /// Returns the child's end of a stream. It is above 2, so that no copy overwrites it.
        mutating func open(_ stream: Stream, isInput: Bool = false) throws(SystemError) -> Int32 {
            switch stream {
            case .pipe:
                var pair: [Int32] = [-1, -1]
                guard systemPipe(&pair) == 0 else { throw SystemError(errno) }
                ours.append(pair[isInput ? 1 : 0])
                theirs.append(pair[isInput ? 0 : 1])
            case .none:
                let null = systemOpen("/dev/null", isInput ? O_RDONLY : O_WRONLY)
                guard null >= 0 else { throw SystemError(errno) }
                ours.append(-1)
                theirs.append(null)
            case .file(let descriptor):
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                guard copy >= 0 else { throw SystemError(errno) }
                ours.append(-1)
                theirs.append(copy)
            }
            guard let end = theirs.last, end <= 2 else { return theirs[theirs.count - 1] }
            let copy = fcntl(end, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw SystemError(errno) }
            Self.closeIfOpen(end)
            theirs[theirs.count - 1] = copy
            return copy
        }

        func close(_ descriptors: [Int32]) { descriptors.forEach(Self.closeIfOpen) }

        static func closeIfOpen(_ descriptor: Int32) { if descriptor >= 0 { systemClose(descriptor) } }
    }
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags | O_CLOEXEC) }

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// A child that is started between the two calls would inherit the pipe, so ``SpawnedProcess`` calls this with a lock.
private func systemPipe(_ pair: inout [Int32]) -> Int32 {
    guard pipe(&pair) == 0 else { return -1 }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return 0
}
