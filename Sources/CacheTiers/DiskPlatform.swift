// Where the systems differ in what the disk tier calls.

#if canImport(Darwin)
import Darwin

/// Darwin cannot leave out the note of the access.
let openForReading = O_RDONLY | O_CLOEXEC | O_NOFOLLOW
/// `UTIME_OMIT`: leaves the date of access as it is.
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

/// Without a note of the access (`O_NOATIME`, of asm-generic/fcntl.h): modification dates that lie in the future make
/// Linux write one at each read (`relatime`).
let openForReading = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | 0o1000000
/// `UTIME_OMIT` of bits/stat.h, a macro that Swift does not import: leaves the date of access as it is.
let dateUnchanged = (1 << 30) - 2

extension stat {
    var modified: timespec { st_mtim }
    var accessed: timespec { st_atim }
}
#endif
