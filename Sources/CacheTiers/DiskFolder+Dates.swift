#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Modification dates, as microseconds since the tier's epoch.
extension DiskFolder {
    func setDate(_ opened: Int32, _ date: Int64) {
        let nanoseconds = epoch &+ date &* 1000
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = rest < 0
        let modified = timespec(
            tv_sec: .init(isBefore ? seconds - 1 : seconds), tv_nsec: .init(isBefore ? rest + 1_000_000_000 : rest))
        var times = (timespec(tv_sec: 0, tv_nsec: .init(dateUnchanged)), modified)
        _ = withUnsafePointer(to: &times) {
            $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(opened, $0) }
        }
    }

    func date(_ modified: timespec) -> Int64 {
        let nanoseconds = Int64(modified.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !nanoseconds.overflow else { return modified.tv_sec < 0 ? .min / 2 : DiskFile.latestDate }
        let (date, overflow) = nanoseconds.partialValue.subtractingReportingOverflow(epoch - Int64(modified.tv_nsec))
        return overflow ? .min / 2 : date / 1000
    }
}
