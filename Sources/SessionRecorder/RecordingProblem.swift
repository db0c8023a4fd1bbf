import Foundation

/// Why events did not reach the file. Recording goes on: each batch of events tries anew.
public enum RecordingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// `code` is the system's error number.
    case cannotCreate(file: String, code: Int32)
    case cannotWrite(file: String, code: Int32)

    public var description: String {
        switch self {
        case .cannotCreate(let file, let code):
            """
            cannot create the trace \(file): \(Self.reason(code)). Name a file in a folder that the app may write to, \
            such as its Documents.
            """
        case .cannotWrite(let file, let code):
            """
            cannot write the trace \(file): \(Self.reason(code)). Events are lost, and counted, until it can be \
            written again.
            """
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
