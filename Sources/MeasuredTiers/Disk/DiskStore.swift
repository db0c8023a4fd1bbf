import CacheTiers

/// The place where a disk tier keeps its objects: a folder of files (``DiskFolder``) or a database (``DiskDatabase``).
/// A store reads, writes and removes objects; it does not decide which. Safe under concurrent use.
protocol DiskStore: Sendable {
    /// Opens the store, or creates it. `epoch` is time 0 of the tier, in microseconds since 1970.
    init(at path: String, format: DiskFormat, epoch: Int64, calls: FileCalls) throws

    /// Returns every object that could be read. Removes torn and temporary files; does not touch files that the tier
    /// has not written.
    func scan() throws -> [DiskFile]

    /// Returns the payload; nil if it is missing, has another length, or is damaged. Writes the object's dates too if
    /// `settingDates` is true.
    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload?

    /// Writes the dates of an object. An object that does not exist is not an error.
    func date(_ file: DiskFile) throws

    /// Whether an object of this name exists, complete or damaged.
    func exists(_ name: DiskName) -> Bool

    func write(_ file: DiskFile, _ payload: Payload) throws

    /// Removes an object. An object that does not exist is not an error.
    func remove(_ name: DiskName) throws

    func removeAll() throws

    /// Starts anew, without objects, after ``DiskStoreDamage``. Returns false if that has happened since the damage was
    /// found.
    func recover(from damage: DiskStoreDamage) throws -> Bool

    /// How often all objects were lost because the store itself was damaged.
    var wipes: Int { get }
}

extension DiskLayout {
    /// The kind of store that a layout uses.
    var store: any DiskStore.Type { self == .sqlite ? DiskDatabase.self : DiskFolder.self }
}

/// The store itself is damaged, so that its objects cannot be distinguished.
struct DiskStoreDamage: Error {
    /// The number of times that the store had started anew when the damage was found.
    var generation: Int
}

extension Sequence {
    /// Calls the closure with each element, also after it has failed for one, and then throws the first error. Damage
    /// of the whole store is thrown at once.
    func forEachDespiteErrors(_ body: (Element) throws -> Void) throws {
        var first: (any Error)?
        for element in self {
            do {
                try body(element)
            } catch let damage as DiskStoreDamage {
                throw damage
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}
