import CacheTiers

/// The journals of tiers that guard them by locks, because several threads use the tiers.
package protocol TierJournals: Sendable {
    /// Calls `body` with the journal of memory, under its lock. Returns nil if there is none.
    func withMemoryJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result?
    func withDiskJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result?
    /// What is known of a file that is not held.
    func absenceOnDisk(of key: String, variant: UInt8) -> TierJournal.Entry?
}
