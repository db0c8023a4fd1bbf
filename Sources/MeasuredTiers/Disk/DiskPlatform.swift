// Differences between Darwin and Linux in the disk tier's system calls.

#if canImport(Darwin)
import CacheTiers
import Darwin

/// The stream of a folder's entries, as `fdopendir` returns it.
typealias FolderStream = UnsafeMutablePointer<DIR>
/// Darwin has no flag that leaves the access date unchanged.
let openForReading = O_RDONLY | O_CLOEXEC | O_NOFOLLOW
/// `UTIME_OMIT`: leaves a date unchanged.
let dateUnchanged = -2

extension stat {
    var modified: timespec { st_mtimespec }
    var accessed: timespec { st_atimespec }
}
#else
#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The stream of a folder's entries, as `fdopendir` returns it.
typealias FolderStream = OpaquePointer
/// With `O_NOATIME` (asm-generic/fcntl.h), which leaves the access date unchanged: otherwise Linux (`relatime`) writes
/// it at each read of a file whose modification date is in the future.
let openForReading = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | 0o1000000
/// `UTIME_OMIT` of bits/stat.h, a macro that Swift does not import: leaves a date unchanged.
let dateUnchanged = (1 << 30) - 2

extension stat {
    var modified: timespec { st_mtim }
    var accessed: timespec { st_atim }
}
#endif
