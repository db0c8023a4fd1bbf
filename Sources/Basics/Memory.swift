import Foundation

/// The memory that the process can still take, and what happens if it takes more.
public enum Memory {
    private static let handler = Locked<(@Sendable (Int) -> Never)?>(nil)

    /// Sets what ends the process when memory is used up where no error can be thrown, as in the loops of the kernel.
    ///
    /// - Parameter end: Receives the number of bytes that were asked for.
    public static func setExhaustion(_ end: @escaping @Sendable (Int) -> Never) { handler.withLock { $0 = end } }

    /// Ends the process because there is no memory for `bytes` bytes.
    public static func exhausted(_ bytes: Int) -> Never {
        if let end = handler.withLock({ $0 }) { end(bytes) }
        abort()
    }

    /// Returns memory of `bytes` bytes for the caller to free, or ends the process; see ``exhausted(_:)``. It is
    /// aligned for every standard type.
    public static func allocated(_ bytes: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(max(bytes, 1)) else { exhausted(bytes) }
        return memory
    }

    /// Returns the bytes by which the address space of the process can grow; nil if there is no limit (`ulimit -v`).
    ///
    /// Mapped files take address space, and not necessarily memory.
    public static func availableAddresses() -> Int? {
        #if os(Linux)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < UInt(Int.max) else {
            return nil
        }
        let pages = words(of: "/proc/self/statm").first.flatMap { Int($0) } ?? 0
        return max(0, Int(limit.rlim_cur) - pages * Int(getpagesize()))
        #else
        return nil
        #endif
    }

    /// Returns the bytes of memory that the system can still give without swapping, at most those that a container
    /// allows.
    public static func available() -> Int {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        #if os(Linux)
        var least = physical
        let lines = text(of: "/proc/meminfo").split(separator: "\n")
        if let line = lines.first(where: { $0.hasPrefix("MemAvailable:") }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        {
            least = min(least, kilobytes * 1024)
        }
        if let most = words(of: "/sys/fs/cgroup/memory.max").first.flatMap({ Int($0) }) {
            let line = text(of: "/sys/fs/cgroup/memory.stat").split(separator: "\n").first { $0.hasPrefix("anon ") }
            let taken = line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            least = min(least, max(0, most - taken))
        }
        return least
        #else
        return physical
        #endif
    }

    private static func text(of path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private static func words(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }
}
