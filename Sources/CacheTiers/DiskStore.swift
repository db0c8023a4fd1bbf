/// Where a disk tier's objects lie: in a folder of files, or in a database. Writes, reads and removes them, and knows
/// nothing of what they are for. Safe under concurrent use.
protocol DiskStore: Sendable {
    /// Every object that is there, and could be read. What is torn or left over is removed; what is none of ours stays
    /// untouched.
    func scan() throws -> [DiskFile]

    /// The payload; nil where it is missing, has another length, or is damaged. Also writes its dates, if
    /// `settingDates`.
    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload?

    /// Whether anything lies under the name, whole or not.
    func exists(_ name: DiskName) -> Bool

    func write(_ file: DiskFile, _ payload: Payload) throws

    /// What is not there is removed already.
    func remove(_ name: DiskName) throws

    func removeAll() throws

    /// Begins anew after ``DiskStoreDamage``; false where that has been done since.
    func recover(from damage: DiskStoreDamage) throws -> Bool

    /// How often all was lost because the store itself was damaged.
    var wipes: Int { get }
}

extension DiskStore {
    /// In a database, what is damaged is lost: none of the caches that keep one is known to keep that.
    func exists(_ name: DiskName) -> Bool { false }

    /// Where files stand for themselves, only one can be damaged.
    func recover(from damage: DiskStoreDamage) throws -> Bool { false }

    var wipes: Int { 0 }
}

/// The store itself is damaged, and no object can be told from another.
struct DiskStoreDamage: Error {
    /// Counts how often the store has begun anew.
    var generation: Int
}
