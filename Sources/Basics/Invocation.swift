import Foundation

/// A call of the command within a process that is not its own, such as a test: its arguments, its program, and what
/// collects its text.
///
/// The threads of ``DetachedThread`` belong to the call of the thread that starts them.
package struct Invocation: Sendable {
    package enum Stream: Sendable { case output, errors }

    /// The name of the program, and the arguments behind it.
    package let arguments: [String]
    /// The path of the program, which the command starts again for its child processes.
    package let program: String
    /// Receives what the command would write to a standard stream. Several threads can call it.
    package let write: @Sendable (_ data: Data, _ stream: Stream) -> Void

    package init(
        _ arguments: [String], program: String, write: @escaping @Sendable (_ data: Data, _ stream: Stream) -> Void
    ) {
        (self.arguments, self.program, self.write) = ([program] + arguments, program, write)
    }

    /// The call that this thread belongs to; nil in the command's own process.
    @TaskLocal package static var current: Invocation?
}
