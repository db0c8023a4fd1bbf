import CacheTiers
import ReplayEngine

/// The journals of real tiers.
struct RealJournals: TierJournals {
    let memory: MemoryTier
    let disk: DiskTier?

    func withMemoryJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        memory.withJournal(body)
    }

    func withDiskJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        disk?.withJournal(body)
    }

    func absenceOnDisk(of key: String, variant: UInt8) -> TierJournal.Entry? {
        disk?.absence(of: key, variant: variant)
    }
}
