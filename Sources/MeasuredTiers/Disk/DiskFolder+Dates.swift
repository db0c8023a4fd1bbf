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
        let nanoseconds = epoch &+ date &* 1000
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = rest < 0
        return timespec(
            tv_sec: .init(isBefore ? seconds - 1 : seconds), tv_nsec: .init(isBefore ? rest + 1_000_000_000 : rest))
    }

    func date(_ moment: timespec) -> Int64 {
        let nanoseconds = Int64(moment.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !nanoseconds.overflow else { return moment.tv_sec < 0 ? .min / 2 : DiskFile.latestDate }
        let (date, overflow) = nanoseconds.partialValue.subtractingReportingOverflow(epoch - Int64(moment.tv_nsec))
        return overflow ? .min / 2 : date / 1000
    }
}
