#if canImport(Glibc) || canImport(Musl)
import Foundation

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The resident memory of this process, by the kernel's account.
package struct ResidentMemory {
    /// Bytes at the last reset.
    private var level: Int64 = 0

    package init() {}

    /// Gives free memory back, so that what follows cannot hide in it, and starts a new peak from the level that is
    /// left.
    package mutating func reset() {
        Self.trimHeap()
        // 5: reset the peak (proc_pid_clear_refs(5)). Where that is forbidden the peak is the process's own.
        if let references = fopen("/proc/self/clear_refs", "w") {
            fputs("5", references)
            fclose(references)
        }
        level = Self.status("VmRSS:")
    }

    /// How far resident memory has risen above the level, in bytes.
    package var peak: Int64 { max(0, Self.status("VmHWM:") - level) }

    /// glibc's malloc_trim, which its Swift module leaves out; other C libraries have none.
    private static func trimHeap() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// One line of /proc/self/status, which counts in KiB.
    private static func status(_ field: String) -> Int64 {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int64($0) })
        else { return 0 }
        return kibibytes * 1_024
    }
}
#endif
