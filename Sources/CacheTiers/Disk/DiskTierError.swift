#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An error of a disk tier: its place, its reason, and a remedy.
public struct DiskTierError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// The folder cannot be created or written to.
        case notWritable
        case full
        /// Another layout, version or program has written the folder.
        case otherLayout
        case failed
    }

    public var kind: Kind
    public var path: String
    public var description: String

    /// `reason` includes the remedy, and has no full stop.
    package init(_ kind: Kind, _ path: String, _ reason: String) {
        self.kind = kind
        self.path = path
        description = "\(path): \(reason)."
    }

    /// Creates an error from the system's error number. `action` completes the sentence "Cannot …".
    package init(_ code: Int32, _ action: String, _ path: String) {
        self.path = path
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            kind = .full
            description = "\(path): cannot \(action): \(reason). Make room, or choose a folder on another disk."
        case EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EEXIST, ELOOP, ENAMETOOLONG:
            kind = .notWritable
            description = "\(path): cannot \(action): \(reason). Choose a folder that you may write to."
        case EMFILE, ENFILE:
            kind = .failed
            description = "\(path): cannot \(action): \(reason). Raise the limit of open files (ulimit -n)."
        default:
            kind = .failed
            description = "\(path): cannot \(action): \(reason)."
        }
    }
}
