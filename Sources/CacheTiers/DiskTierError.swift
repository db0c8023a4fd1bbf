#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Why a disk tier could not do what it was asked: where, and what helps.
public struct DiskTierError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// The folder cannot be made, or written to.
        case notWritable
        /// No room, on the disk or within a quota.
        case full
        /// The folder holds what another layout or version has written, or somebody else.
        case otherLayout
        case failed
    }

    public var kind: Kind
    public var path: String
    public var description: String

    /// `reason` tells the remedy, too, and has no full stop.
    init(_ kind: Kind, _ path: String, _ reason: String) {
        self.kind = kind
        self.path = path
        description = "\(path): \(reason)."
    }

    /// `action` completes the sentence "Cannot …".
    init(_ code: Int32, _ action: String, _ path: String) {
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
