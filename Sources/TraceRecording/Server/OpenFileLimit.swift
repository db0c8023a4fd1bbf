#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The limit of open files of this process. A connection needs one, so that the limit also bounds connections.
enum OpenFileLimit {
    /// Whether the process can open another `count` files. NIO's event loops end the process if they cannot.
    static func allows(_ count: Int) -> Bool {
        let opened = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for file in opened where file >= 0 { close(file) }
        return opened.allSatisfy { $0 >= 0 }
    }

    /// Raises the soft limit (`ulimit -Sn`) as far as the system allows, but at most to `wanted`, and returns it.
    ///
    /// A limit that is higher already is not changed. 1,024 files, if the limit cannot be read.
    static func raise(to wanted: Int) -> Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < rlim_t(wanted), limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
