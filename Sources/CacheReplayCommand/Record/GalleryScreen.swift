import Basics
import Foundation
import TraceRecording

/// The terminal output of a recording gallery: its address, its progress and a summary.
struct GalleryScreen {
    private let server: GalleryServer
    private let addresses: [String]
    private let quiet: Bool
    private let start = ContinuousClock.now
    private var isTerminal: Bool { !quiet && CommandOutput.isTerminal(STDERR_FILENO) }

    init(_ server: GalleryServer, host: String, quiet: Bool) {
        self.server = server
        self.quiet = quiet
        addresses = LocalAddresses.pages(at: server.address, host: host)
    }

    /// Prints the addresses to standard output, for scripts, and instructions to standard error.
    func printAddress(images: Int) throws {
        for address in addresses { try CommandOutput.writeLine(address) }
        guard !quiet else { return }
        printToStandardError(
            "Open this address in a browser: \(images) \(images == 1 ? "image" : "images"). Ctrl-C ends the recording.")
        if isTerminal, let first = addresses.first { showCode(of: first) }
    }

    /// Shows counts until the end of the recording: on a terminal four times a second, and as lines for logs that have
    /// changed, at most one in 10 seconds. A failure to write the trace is printed at once, also with `--quiet`.
    func showProgress(until end: EndOfService) {
        var (last, turns, told) = (progressLine, 0, Set<String>())
        while !end.wait(seconds: 0.25) {
            turns += 1
            tellProblems(&told)
            if isTerminal {
                CommandOutput.drawOnTerminal("\r\(progressLine)\u{1B}[K")
            } else if !quiet, turns % 40 == 0 {
                let line = progressLine
                if line != last { printToStandardError(line) }
                last = line
            }
        }
        if isTerminal { CommandOutput.drawOnTerminal("\r\u{1B}[K") }
    }

    /// Prints the reason why a trace cannot be written, and prints it again if that ends and begins again.
    private func tellProblems(_ told: inout Set<String>) {
        for one in server.progress {
            guard let problem = one.journal.problem else {
                told.remove(one.path)
                continue
            }
            guard told.insert(one.path).inserted else { continue }
            let start = isTerminal ? "\r\u{1B}[K" : ""
            CommandOutput.drawOnTerminal(start)
            printToStandardError(
                """
                cachereplay: \(one.path): cannot be written at present (\(problem)); browsers keep their events, and \
                send \
                them again when there is room.
                """)
        }
    }

    private var progressLine: String {
        let all = server.progress
        let line = """
            \(all.count) \(all.count == 1 ? "browser" : "browsers"), \(sum(all, \.appearances)) appearances, \
            \(sum(all, \.fetches)) fetches, \(sum(all, \.journal.events)) events
            """
        return line + VisibleText.line(problem(all))
    }

    /// Draws the QR code of an address, which consists of control sequences.
    private func showCode(of address: String) {
        guard let code = QRCode.text(address) else { return printToStandardError(QRCode.remedy) }
        CommandOutput.drawOnTerminal(code + "\n")
    }

    func printSummary() throws {
        let all = server.progress
        if let lost = all.first(where: { $0.journal.lost > 0 }) {
            throw CommandFailure(
                .ioError,
                """
                \(lost.path): \(lost.journal.lost) events could not be written: \
                \(lost.journal.problem ?? "the disk was full")
                """
            )
        }
        guard !quiet else { return }
        if all.isEmpty { return printToStandardError("No browser opened the address, so there is no trace.") }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        for one in all {
            let clockError = String(format: "%.1f", Double(one.clockError) / 1000)
            printToStandardError(
                """
                \(one.path): \(one.journal.events) events, \(one.appearances) appearances, \(one.fetches) fetches in \
                \(seconds) s; clocks agree within \(clockError) ms
                """)
        }
        let files = all.map { ShellText.quoted($0.path) }.joined(separator: " ")
        printToStandardError("Next: cachereplay replay \(files) --cache \"memory: lru(50MB); disk: lru(200MB)\"")
    }

    private func sum(_ all: [GalleryServer.Progress], _ what: KeyPath<GalleryServer.Progress, Int>) -> Int {
        all.reduce(0) { $0 + $1[keyPath: what] }
    }

    private func problem(_ all: [GalleryServer.Progress]) -> String {
        all.lazy.compactMap(\.journal.problem).first.map { "; not written at present: \($0)" } ?? ""
    }
}
