#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An error of the operating system.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    public var code: Int32

    public init(_ code: Int32) { self.code = code }

    /// The reason and, where there is one, the remedy.
    public var description: String {
        let reason = String(cString: strerror(code))
        return switch code {
        case EMFILE: "\(reason); raise the limit with `ulimit -n`"
        case EAGAIN: "\(reason); raise the limits with `ulimit -u` and `ulimit -v`"
        case EFBIG: "\(reason); raise the limit with `ulimit -f`"
        default: reason
        }
    }
}
