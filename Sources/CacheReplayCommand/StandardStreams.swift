import Foundation

/// Handles standard streams that are closed, on a full disk, or a pipe without a reader.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that the caller closed. Otherwise the next opened file gets its number, and
    /// output is written to that file.
    static func openClosed() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes the buffered output.
    ///
    /// A full disk is an error, because a script must not read half a table as a whole one. A reader that closes the
    /// pipe early, as `head` does, is not an error.
    /// - Throws: ``CommandFailure`` with exit code 74.
    static func flushOutput() throws {
        // All streams, because Swift 6 does not allow access to C's global variable `stdout`.
        guard fflush(nil) != 0 else { return }
        let code = errno
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        let hasNoReader = code == EPIPE || poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
        guard !hasNoReader else { return }
        throw CommandFailure(
            .ioError,
            "standard output: writing failed: \(String(cString: strerror(code))); the output is incomplete.")
    }
}
