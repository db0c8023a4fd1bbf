import Foundation
import Testing

@testable import MeasuredTiers
@testable import ReplayEngine

/// Programs that would hold a replay for ever. The deadlines are short because no test waits for more than one of them;
/// what is compared is the kind of the fault, which no load of the machine changes.
@Suite("Programs that do not answer as caches")
struct OwnProgramTests {
    private let key = OwnCacheKey(object: 0, isThumbnail: false)

    init() { signal(SIGPIPE, SIG_IGN) }

    /// Starts a shell that answers the greeting, and then runs a script.
    private func program(_ script: String, key: String = "a", longestAnswer: Double = 30) throws -> OwnProgram {
        let program = try OwnProgram("sh -c 'read line; echo ok; \(script)'", keys: [key])
        program.longestAnswer = longestAnswer
        return program
    }

    private func kind(of program: OwnProgram) -> CacheFault.Kind? {
        do {
            _ = try program.find(key)
            return nil
        } catch { return (error as? OwnCacheFault)?.kind }
    }

    @Test("A program that is silent, or sends bytes without an end, has one deadline for the whole answer")
    func silent() throws {
        let silent = try program("exec sleep 100000", longestAnswer: 0.05)
        #expect(kind(of: silent) == .silent)
        // It is over: later questions are not asked.
        silent.longestAnswer = 100_000
        #expect(kind(of: silent) == .silent)
        #expect(kind(of: try program("while printf x; do sleep 0.01; done", longestAnswer: 0.2)) == .silent)
    }

    @Test("A question that the program never reads has a deadline too, also when the pipe is full")
    func unread() throws {
        let key = String(repeating: "k", count: 300_000)
        #expect(kind(of: try program("exec sleep 100000", key: key, longestAnswer: 0.05)) == .silent)
    }

    @Test("A program that writes while the question is written is read meanwhile, and answers")
    func crossing() throws {
        // It writes 200 kB before it reads on, which no pipe holds: each side would wait for the other.
        let key = String(repeating: "k", count: 300_000)
        let program = try program("head -c 200000 /dev/zero; echo; read line; read line", key: key)
        #expect(kind(of: program) == .unexpectedAnswer)
    }

    @Test("A program that closes its streams and lives on has ended, without a wait for the deadline")
    func closed() throws {
        for closing in ["<&- >&-", ">&-"] {
            #expect(kind(of: try program("exec sleep 100000 \(closing)", longestAnswer: 100_000)) == .ended)
        }
    }

    @Test("A program that ends is named with its end, although a process that it started holds its output")
    func ended() throws {
        func text(_ script: String) throws -> String {
            let program = try program(script, longestAnswer: 100_000)
            do { _ = try program.find(key) } catch let fault as OwnCacheFault {
                #expect(fault.kind == .ended)
                return fault.text
            }
            return ""
        }
        #expect(try text("exit 3") == "the program ended with exit code 3")
        #expect(try text("read line; kill -SEGV $$") == "the program ended with signal 11 (Segmentation fault)")
        #expect(try text("sleep 100000 & exit 4") == "the program ended with exit code 4")
    }

    @Test("A line without an end is given up")
    func endlessLine() throws {
        #expect(kind(of: try program("exec cat /dev/zero", longestAnswer: 100_000)) == .ended)
    }
}
