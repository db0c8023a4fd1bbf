import CacheTiers
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Objects as rows of an SQLite database, as YYCache keeps them: a manifest with one row per object. The row holds the
/// payload up to ``largestInline`` bytes; a larger one is a file in the subfolder `data`, named by the MD5 of the key.
///
/// The database is in WAL mode and waits for the disk at checkpoints only (`synchronous = normal`): a crash of the
/// machine can lose the last changes, but nothing earlier. A damaged database is removed with all its objects, and a
/// new one is created.
final class DiskDatabase: DiskStore {
    static let file = DiskStoreTraits.databaseFile
    static let valueFolder = DiskStoreTraits.databaseValueFolder
    /// In bytes of payload. SQLite is said to be faster than files up to about this size.
    static let largestInline = 20_480

    private let path: String
    private let values: DiskFolder
    private let calls: FileCalls
    /// Microseconds from 1970 to time 0 of the tier: a whole second.
    private let epoch: Int64
    private let state: Mutex<State>
    private let wiped = Atomic(0)

    private struct State {
        /// nil after a failed attempt to open the database, until the next scan.
        var connection: DiskManifest?
        var generation = 0
    }

    init(at path: String, format: DiskFormat, epoch: Int64, calls: FileCalls) throws {
        self.path = path
        self.calls = calls
        self.epoch = epoch
        // Creates the folder and its marker.
        let folder = try DiskFolder(path, format: format, epoch: epoch, claimedFor: format.layout, calls: calls)
        try folder.removeTemporaryFiles()
        values = try DiskFolder(
            "\(path)/\(Self.valueFolder)", format: DiskFormat(layout: .md5, atomicWrites: format.atomicWrites),
            epoch: epoch, claimedFor: nil, calls: calls)
        state = Mutex(State())
    }

    var wipes: Int { wiped.load(ordering: .relaxed) }

    /// Opens the database, after closing it if it was open: the state that an app finds when it starts. Removes files
    /// without a row, and rows without their file.
    func scan() throws -> [DiskFile] {
        try state.withLock { state in
            state.connection = nil
            do {
                return try open(&state)
            } catch is DiskStoreDamage {
                try wipe(&state)
                return try open(&state)
            }
        }
    }

    private func open(_ state: inout State) throws -> [DiskFile] {
        let connection = try DiskManifest(path, generation: state.generation)
        var sizes: [DiskName: Int] = [:]
        for file in try values.scan() { sizes[file.name] = file.size }
        var files: [DiskFile] = []
        var lost: [DiskName] = []
        for row in try connection.rows() {
            if row.isFile, sizes.removeValue(forKey: row.name.ofValue) != row.size {
                lost.append(row.name)
                continue
            }
            var file = DiskFile(name: row.name, size: row.size, tag: UInt64(files.count))
            let (date, tooEarly) = row.modified.subtractingReportingOverflow(epoch)
            file.date = tooEarly ? .min / 2 : date
            let (accessed, outOfRange) = row.accessed.subtractingReportingOverflow(epoch / Self.second)
            let (access, overflow) = accessed.multipliedReportingOverflow(by: Self.second)
            file.accessed = outOfRange || overflow ? .min / 2 : access
            files.append(file)
        }
        guard Set(files.map(\.name)).count == files.count else { throw DiskStoreDamage(generation: state.generation) }
        for name in lost {
            try connection.remove(name)
            sizes[name.ofValue] = 0
        }
        try sizes.keys.forEachDespiteErrors(values.remove)
        state.connection = connection
        return files
    }

    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload? {
        let content = try withConnection { connection in
            let content = try connection.read(file)
            // On a full disk, the date of the access is not written, but the object is delivered, as with files.
            if content != nil, settingDates {
                do { try connection.date(file.name, modified(file), accessed(file)) } catch is DiskTierError {}
            }
            return content
        }
        switch content {
        case nil: return nil
        case .inline(let payload, let checksum): return checksum == Self.checksum(file.name, payload) ? payload : nil
        case .file: return try values.read(value(file), settingDates: false)
        }
    }

    func date(_ file: DiskFile) throws {
        try withConnection { try $0.date(file.name, modified(file), accessed(file)) }
    }

    /// Always returns false: no cache with a database is known to keep damaged objects.
    func exists(_ name: DiskName) -> Bool { false }

    func write(_ file: DiskFile, _ payload: Payload) throws {
        guard payload.count <= Self.largestInline else {
            try values.write(value(file), payload)
            do {
                try withConnection {
                    try $0.write(file.name, payload.count, inline: nil, checksum: 0, modified(file), accessed(file))
                }
            } catch {
                try? values.remove(file.name.ofValue)  // The first error is the one to report.
                throw error
            }
            return
        }
        let wasFile = try withConnection { connection in
            let wasFile = try connection.hasFile(file.name)
            let checksum = Self.checksum(file.name, payload)
            try connection.write(
                file.name, payload.count, inline: payload, checksum: checksum, modified(file), accessed(file))
            return wasFile
        }
        if wasFile { try values.remove(file.name.ofValue) }
    }

    func remove(_ name: DiskName) throws {
        let wasFile = try withConnection { connection in
            let wasFile = try connection.hasFile(name)
            try connection.remove(name)
            return wasFile
        }
        if wasFile { try values.remove(name.ofValue) }
    }

    /// Removes and recreates the database: faster than deleting rows, and what YYCache does.
    func removeAll() throws {
        try state.withLock { state in
            try clear(&state)
            _ = try open(&state)
        }
    }

    func recover(from damage: DiskStoreDamage) throws -> Bool {
        try state.withLock { state in
            guard damage.generation == state.generation else { return false }
            try wipe(&state)
            _ = try open(&state)
            return true
        }
    }

    private func wipe(_ state: inout State) throws {
        wiped.wrappingAdd(1, ordering: .relaxed)
        try clear(&state)
    }

    private func clear(_ state: inout State) throws {
        state.connection = nil
        state.generation += 1
        for ending in ["", "-wal", "-shm", "-journal"] {
            guard calls.remove(AT_FDCWD, "\(path)/\(Self.file)\(ending)") == 0 || errno == ENOENT else {
                throw DiskTierError(errno, "remove the damaged database \(Self.file)\(ending)", path)
            }
        }
        try values.removeAll()
    }

    private func withConnection<Result>(_ body: (DiskManifest) throws -> sending Result) throws -> sending Result {
        try state.withLock { state in
            guard let connection = state.connection else {
                throw DiskTierError(
                    .failed, path,
                    "the database \(Self.file) could not be opened before. Restart the tier, or choose another folder")
            }
            return try body(connection)
        }
    }

    private static let second: Int64 = 1_000_000

    private func modified(_ file: DiskFile) -> Int64 { epoch &+ file.date }

    private func accessed(_ file: DiskFile) -> Int64 { (epoch &+ file.accessed) / Self.second }

    private func value(_ file: DiskFile) -> DiskFile {
        DiskFile(name: file.name.ofValue, size: file.size, date: file.date)
    }

    private static func checksum(_ name: DiskName, _ payload: Payload) -> Int64 {
        Int64(bitPattern: DiskChecksum.of(payload.bytes, seed: name.seed))
    }
}
