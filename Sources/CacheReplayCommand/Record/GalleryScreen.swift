import Basics
import Foundation
import TraceRecording

/// The terminal output of a recording gallery: its address, its progress and a summary.
struct GalleryScreen {
    private let server: GalleryServer
    private let addresses: [String]
    private let quiet: Bool
    private let start = ContinuousClock.now
    private var isTerminal: Bool { !quiet && isatty(STDERR_FILENO) == 1 }

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

    /// Shows counts on a terminal, four times a second, until the end of the recording.
    func showProgress(until end: EndOfService) {
        guard !quiet else { return end.wait() }
        guard isTerminal else { return printProgress(until: end) }
        while !end.wait(seconds: 0.25) { CommandOutput.drawOnTerminal("\r\(progressLine)\u{1B}[K") }
        CommandOutput.drawOnTerminal("\r\u{1B}[K")
    }

    /// Prints counts as lines that have changed, at most one in 10 seconds, for logs.
    private func printProgress(until end: EndOfService) {
        var last = progressLine
        while !end.wait(seconds: 10) {
            let line = progressLine
            if line != last { printToStandardError(line) }
            last = line
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
        all.lazy.compactMap(\.journal.problem).first.map { "; \($0)" } ?? ""
    }
}
