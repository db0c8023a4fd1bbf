import CacheTiers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// Dates of files, as microseconds since the tier's epoch.
extension DiskFolder {
    /// Sets the dates of an open file. The access date stays as it is if accesses are not dated.
    func setDates(_ opened: Int32, _ file: DiskFile) {
        let accessed =
            datesAccesses ? moment(file.accessed) : timespec(tv_sec: 0, tv_nsec: .init(dateUnchanged))
        _ = calls.setDates(opened, accessed: accessed, modified: moment(file.date))
    }

    private func moment(_ date: Int64) -> timespec {
        // In microseconds: nanoseconds since 1970 have no room after 2262.
        let (seconds, rest) = (epoch &+ date).quotientAndRemainder(dividingBy: Self.second)
        let isBefore = rest < 0
        return timespec(
            tv_sec: .init(isBefore ? seconds - 1 : seconds),
            tv_nsec: .init((isBefore ? rest + Self.second : rest) * 1_000))
    }

    func date(_ moment: timespec) -> Int64 {
        let whole = Int64(moment.tv_sec).multipliedReportingOverflow(by: Self.second)
        guard !whole.overflow else { return moment.tv_sec < 0 ? .min / 2 : DiskFile.latestDate }
        let (date, overflow) = whole.partialValue.subtractingReportingOverflow(epoch - Int64(moment.tv_nsec) / 1_000)
        return overflow ? .min / 2 : date
    }

    private static let second: Int64 = 1_000_000
}
