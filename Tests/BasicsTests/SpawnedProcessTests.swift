import Foundation
import TestSupport
import Testing

@testable import Basics

@Suite("Child processes") struct SpawnedProcessTests {
    private func shell(_ script: String, _ errors: SpawnedProcess.Stream = .none) throws -> SpawnedProcess {
        try SpawnedProcess("/bin/sh", ["-c", script], input: .pipe, output: .pipe, errors: errors)
    }

    @Test("A child has its streams, its environment and its folder, and ends with its exit code")
    func streams() throws {
        let process = try SpawnedProcess(
            "/bin/sh", ["-c", "read line; echo \"$line $NAME $PWD\"; echo wrong >&2; exit 3"],
            in: .init(environment: ["NAME": "a b"], folder: "/"), input: .pipe, output: .pipe, errors: .pipe)
        #expect(write(process.input, "hello\n", 6) == 6)
        #expect(String(decoding: SpawnedProcess.readAll(process.output), as: UTF8.self) == "hello a b /\n")
        #expect(String(decoding: SpawnedProcess.readAll(process.errors), as: UTF8.self) == "wrong\n")
        #expect(process.wait() == .exit(3))
        #expect(process.wait() == .exit(3) && !process.isRunning && process.poll()?.status == 3)
    }

    @Test("A signal ends a child, even one that ignores others; afterwards nothing is sent")
    func signals() throws {
        let process = try shell("trap '' TERM; echo ready; read line")
        var ready = [UInt8](repeating: 0, count: 6)
        #expect(read(process.output, &ready, 6) == 6)
        process.send(SIGTERM)
        process.send(SIGKILL)
        #expect(process.wait() == .signal(SIGKILL))
        process.send(SIGKILL)
        #expect(process.poll() == .signal(SIGKILL) && process.poll()?.status == nil)
    }

    @Test("The end of the input reaches the child, although another child was started meanwhile")
    func input() throws {
        let first = try shell("cat; echo end")
        let second = try shell("read line")
        first.closeInput()
        #expect(String(decoding: SpawnedProcess.readAll(first.output), as: UTF8.self) == "end\n")
        #expect(first.wait() == .exit(0) && second.isRunning)
        second.closeInput()
        #expect(second.wait() == .exit(1))
    }

    @Test("A child starts with the default action of each signal")
    func defaults() throws {
        signal(SIGPIPE, SIG_IGN)
        let process = try SpawnedProcess("/bin/sh", ["-c", "kill -PIPE $$; echo survived"], output: .pipe)
        #expect(SpawnedProcess.readAll(process.output).isEmpty)
        #expect(process.wait() == .signal(SIGPIPE))
    }

    @Test("The end of a group ends what the child has started, and a child that ended by itself keeps its exit code")
    func groups() throws {
        let parent = try SpawnedProcess(
            "/bin/sh", ["-c", "sleep 100000 & echo ready; exec sleep 100000"], in: .init(leadsGroup: true),
            output: .pipe)
        var ready = [UInt8](repeating: 0, count: 6)
        #expect(read(parent.output, &ready, 6) == 6 && !parent.hasEnded)
        parent.endGroup()
        // The pipe ends when both sleeps have.
        #expect(SpawnedProcess.readAll(parent.output).isEmpty)
        #expect(parent.wait() == .signal(SIGKILL) && parent.hasEnded)

        // The child leaves a process behind, which holds the pipe.
        let orphan = try SpawnedProcess(
            "/bin/sh", ["-c", "sleep 100000 & exit 3"], in: .init(leadsGroup: true), output: .pipe)
        var info = siginfo_t()
        #expect(waitid(P_PID, id_t(orphan.id), &info, WEXITED | WNOWAIT) == 0 && orphan.hasEnded)
        orphan.endGroup()
        #expect(SpawnedProcess.readAll(orphan.output).isEmpty)
        #expect(orphan.wait() == .exit(3) && "\(orphan.wait())" == "exit code 3")
        #expect("\(SpawnedProcess.End.signal(SIGSEGV))" == "signal 11 (Segmentation fault)")
    }

    @Test("After the end of all groups, no further one starts") func endOfGroups() async {
        await #expect(processExitsWith: .success) {
            let child = try SpawnedProcess(
                "/bin/sh", ["-c", "exec sleep 100000"], in: .init(leadsGroup: true), output: .pipe)
            let other = try SpawnedProcess("/bin/sh", ["-c", "read line"], input: .pipe)
            SpawnedProcess.endGroups()
            #expect(child.wait() == .signal(SIGKILL) && other.isRunning)
            other.closeInput()
            #expect(throws: SystemError(ECANCELED)) { try SpawnedProcess("/bin/true", [], in: .init(leadsGroup: true)) }
            #expect(try SpawnedProcess("/bin/true", []).wait() == .exit(0))
        }
    }

    @Test("A program that does not exist is an error")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(throws: SystemError(ENOENT)) { try SpawnedProcess(folder.url("program").path, []) }
    }
}

@Suite("Locked folders") struct FolderLockTests {
    /// Whether another process gets the lock.
    private func isFree(_ path: String) throws -> Bool {
        try SpawnedProcess("/usr/bin/flock", ["--nonblock", path, "true"]).wait() == .exit(0)
    }

    @Test(
        "One process at a time has the lock, as long as one of its instances exists",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock"), "flock is not installed"))
    func lock() throws {
        let folder = try ScratchFolder(prefix: "lock")
        defer { folder.remove() }
        var first: FolderLock? = try FolderLock(folder.path)
        var second: FolderLock? = try FolderLock(folder.path)
        #expect(try !isFree(folder.path))
        withExtendedLifetime(first) {}
        first = nil
        #expect(try !isFree(folder.path))
        withExtendedLifetime(second) {}
        second = nil
        #expect(try isFree(folder.path))
        // Another process that has the lock: it prints a line, and ends with its input.
        let other = try SpawnedProcess(
            "/usr/bin/flock", [folder.path, "sh", "-c", "echo; read line"], input: .pipe, output: .pipe)
        var line: UInt8 = 0
        #expect(read(other.output, &line, 1) == 1)
        #expect(throws: FolderLock.Taken.self) { try FolderLock(folder.path) }
        other.closeInput()
        _ = other.wait()
        _ = try FolderLock(folder.path)
        #expect(throws: SystemError(ENOENT)) { try FolderLock(folder.path + "/none") }
    }
}

@Suite("Temporary files") struct AbandonedFileTests {
    @Test("What ended processes left is removed, what others use is not")
    func abandoned() throws {
        let folder = try ScratchFolder(prefix: "abandoned")
        defer { folder.remove() }
        let gone = try SpawnedProcess("/bin/sh", ["-c", "exit"])
        _ = gone.wait()
        let names = [".unfinished-\(gone.id)-7-a.csv", ".unfinished-\(getpid())-7-a.csv", ".unfinished-x-y", "a.csv"]
        for name in names { try AtomicFile.write("", to: "\(folder.path)/\(name)") }
        let workshop = "\(folder.path)/.unfinished-\(gone.id)-feed"
        try FileManager.default.createDirectory(atPath: workshop, withIntermediateDirectories: true)
        try AtomicFile.write("", to: "\(workshop)/feed.gp")
        AtomicFile.removeAbandoned(in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names[1...].sorted())
    }

    @Test("The first file that a process writes into a folder removes what ended processes left there")
    func firstFile() throws {
        let folder = try ScratchFolder(prefix: "abandoned")
        defer { folder.remove() }
        let gone = try SpawnedProcess("/bin/sh", ["-c", "exit"])
        _ = gone.wait()
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/.unfinished-\(gone.id)-7-a.csv", contents: nil))
        try AtomicFile.write("", to: "\(folder.path)/a.csv")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.csv"])
    }
}
