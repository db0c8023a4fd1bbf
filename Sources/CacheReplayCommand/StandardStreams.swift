import Foundation

/// Standard input, output and error as they may be: closed, full, or a pipe whose reader has gone.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that the caller closed. Else the next file that is opened takes its number,
    /// and what is printed lands in that file.
    static func openClosed() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes out what was printed.
    ///
    /// Half a table must not look like a whole one to a script: a full disk is an error. A reader that needs no more,
    /// as `head` after its lines, is none.
    static func flushOutput() throws {
        // All streams, of which only standard output is used: C's `stdout` itself is a global variable that Swift 6
        // does not let us touch.
        guard fflush(nil) != 0 else { return }
        let code = errno
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        let readerHasGone = code == EPIPE || poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
        guard !readerHasGone else { return }
        throw CommandFailure(
            .ioError,
            "standard output: writing failed: \(String(cString: strerror(code))); what was printed is not whole.")
    }
}
