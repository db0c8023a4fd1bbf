import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Objects as rows of an SQLite database, as YYCache keeps them: a manifest with one row per object, which holds its
/// bytes up to ``largestInline``; above that they are a file in the subfolder `data`, named by the MD5 of the key.
///
/// The database is in WAL mode and waits for the disk at checkpoints only (`synchronous = normal`), so that a crash of
/// the machine may lose the last changes, but not what was there before. One that is damaged is removed with everything
/// in it, and begun anew.
final class DiskDatabase: DiskStore {
    static let file = "manifest.sqlite"
    static let valueFolder = "data"
    /// Bytes of payload; SQLite is said to be faster than a file up to about here.
    static let largestInline = 20_480

    private let path: String
    private let values: DiskFolder
    /// Microseconds from 1970 to time 0 of the tier: a whole second.
    private let epoch: Int64
    /// nil from the moment that a connection could not be opened to the next scan.
    private let state: Mutex<State>
    private let wiped = Atomic(0)

    private struct State {
        var connection: DiskManifest?
        var generation = 0
    }

    init(_ path: String, format: DiskFormat, epoch: Int64) throws {
        self.path = path
        self.epoch = epoch
        // Makes the folder, and marks it. It has no file of its own.
        _ = try DiskFolder(path, format: format, epoch: epoch * 1000, claimedFor: .sqlite)
        values = try DiskFolder(
            "\(path)/\(Self.valueFolder)", format: DiskFormat(layout: .md5, atomicWrites: format.atomicWrites),
            epoch: epoch * 1000, claimedFor: nil)
        state = Mutex(State())
    }

    var wipes: Int { wiped.load(ordering: .relaxed) }

    /// Opens the database, anew where it was open: what an app finds when it starts. Files without a row are removed,
    /// and rows without their file.
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
        for name in sizes.keys { try values.remove(name) }
        state.connection = connection
        return files
    }

    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload? {
        let content = try withConnection { connection in
            let content = try connection.read(file)
            // An access that cannot be noted, for want of room, is delivered all the same; as with files.
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

    func write(_ file: DiskFile, _ payload: Payload) throws {
        guard payload.count <= Self.largestInline else {
            try values.write(value(file), payload)
            do {
                try withConnection {
                    try $0.write(file.name, payload.count, inline: nil, checksum: 0, modified(file), accessed(file))
                }
            } catch {
                try? values.remove(file.name.ofValue)  // The first error is the one to tell.
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

    /// Begins anew: sooner done than deleting rows, and as YYCache does.
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
            guard unlink("\(path)/\(Self.file)\(ending)") == 0 || errno == ENOENT else {
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
