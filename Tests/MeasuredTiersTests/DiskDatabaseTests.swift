import Basics
import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk layouts: the database")
struct DiskDatabaseTests {
    private let folder: TemporaryFolder
    private let file = DiskDatabase.file

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ spec: String = "lru(100MB)", at path: String? = nil) throws -> DiskTier {
        try DiskTier(
            policy(spec), at: path ?? folder.path, layout: .sqlite, epoch: Date(timeIntervalSince1970: 1_700_000_000.75)
        )
    }

    private func query(_ statement: String) throws -> [String] {
        try SQLiteDatabase(folder.path, file, generation: 0).texts(statement)
    }

    @Test(
        """
        Payloads up to 20,480 bytes are in the row, larger ones in a file named by the MD5 of the key; a store across \
        the limit moves them
        """
    )
    func inlineOrFile() throws {
        let tier = try tier()
        let fileOfA = "data/0cc175b9c0f1b6a831c399e269772661"
        for (size, isFile) in [(20_480, false), (20_481, true), (20_480, false), (0, false), (30_000, true)] {
            try tier.store("a", .sample(size, count: size), at: 5_900_000)
            #expect(folder.objects == (isFile ? [fileOfA] : []))
            let row =
                """
                key || ' ' || variant || ' ' || size || ' ' || coalesce(length(inline_data), 'file') || ' ' || \
                coalesce(filename, 'inline')
                """
            #expect(
                try query("SELECT \(row) FROM manifest") == [
                    isFile ? "a 1 \(size) file 0cc175b9c0f1b6a831c399e269772661" : "a 1 \(size) \(size) inline"
                ])
            #expect(try tier.read("a", at: 5_900_000)?.payload.array == Payload.sample(size, count: size).array)
        }
        // The epoch is the whole second before; accesses are rounded down, the moment of storing is exact.
        #expect(
            try query("SELECT last_access_time || ' ' || modification_time FROM manifest") == [
                "1700000005 1700000005900000"
            ])
        _ = try tier.read("a", at: 7_000_000)
        #expect(
            try query("SELECT last_access_time || ' ' || modification_time FROM manifest") == [
                "1700000007 1700000005900000"
            ])
        #expect(try query("PRAGMA journal_mode") == ["wal"] && folder.files.contains("\(file)-wal"))
        try tier.removeAll()
        #expect(try query("SELECT key FROM manifest") == [] && folder.objects == [])
    }

    @Test("Keys of any kind are distinguished")
    func keys() throws {
        let keys = [
            "", "a", "A", "a\u{0}b", "a\u{0}c", "é", "e\u{301}x", "'; DROP TABLE manifest; --",
            String(repeating: "k", count: 100_000),
        ]
        do {
            let tier = try tier()
            for (number, key) in keys.enumerated() { try tier.store(key, .sample(number, count: 100)) }
        }
        let tier = try tier()
        for (number, key) in keys.enumerated() {
            #expect(try tier.read(key)?.payload.array == Payload.sample(number, count: 100).array)
        }
        #expect(tier.occupancy.objects == keys.count)
    }

    @Test("A killed process leaves its log, from which the next process reads what was stored")
    func killed() throws {
        let tier = try tier()
        for number in 0..<50 { try tier.store(sampleKey(number), .sample(number, count: number * 1000)) }
        let copy = try TemporaryFolder()
        for part in ["\(file)", "\(file)-wal", DiskMarker.file] { try copy.file(part, folder.bytes(part)) }
        try FileManager.default.copyItem(atPath: "\(folder.path)/data", toPath: "\(copy.path)/data")
        let next = try self.tier(at: copy.path)
        for number in 0..<50 {
            #expect(
                try next.read(sampleKey(number))?.payload.array == Payload.sample(number, count: number * 1000).array)
        }
        #expect(next.figures.wipes == 0)
    }

    @Test("A row without its file and a file without its row are removed at a start, and when they are read")
    func halves() throws {
        let (one, other) = ("data/0cc175b9c0f1b6a831c399e269772661", "data/92eb5ffee6ae2fec3ad71c777531578f")
        var tier = try tier()
        for key in ["a", "b"] { try tier.store(key, .sample(1, count: 30_000)) }
        let bytes = try folder.bytes(one)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(one)")
        #expect(try tier.read("a") == nil && tier.figures.corruptFiles == 1)
        #expect(try query("SELECT key FROM manifest") == ["b"])
        try folder.file(one, bytes)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(other)")
        tier = try self.tier()
        #expect(tier.occupancy == Occupancy() && folder.objects == [])
        #expect(try query("SELECT key FROM manifest") == [])

        // A length that is not the file's, and that could exceed the memory.
        try tier.store("c", .sample(1, count: 30_000))
        _ = try query("UPDATE manifest SET size = size - 1")
        try tier.relaunch(at: 0)
        #expect(tier.occupancy == Occupancy() && folder.objects == [] && tier.figures.wipes == 0)
    }

    enum Change: String, CaseIterable {
        case blob = "inline_data = zeroblob(100)"
        case shorter = "inline_data = substr(inline_data, 2)"
        case null = "inline_data = NULL"
        case key = "key = 'b'"
        case variant = "variant = 0"
        case checksum = "checksum = checksum + 1"
        case file = "filename = 'x'"
    }

    @Test(
        "A row that was changed outside the tier is a miss, is removed, and can be stored again",
        arguments: Change.allCases)
    func changedRow(change: Change) throws {
        let tier = try tier()
        try tier.store("a", .sample(1, count: 100))
        _ = try query("UPDATE manifest SET \(change.rawValue)")
        #expect(try tier.read("a") == nil)
        #expect(tier.figures.corruptFiles == 1 && !tier.contains("a"))
        if change == .key || change == .variant {
            try tier.relaunch(at: 0)
            #expect(try tier.read("b") == nil && tier.read("a", variant: 0) == nil, "it is not what was stored there")
        }
        try tier.store("a", .sample(2, count: 100))
        #expect(try tier.read("a")?.payload.array == Payload.sample(2, count: 100).array)
        #expect(try query("SELECT key FROM manifest") == ["a"] && tier.figures.wipes == 0)
    }

    @Test(
        "An invalid database is removed with all its objects, which is counted; other files stay",
        arguments: [
            "UPDATE manifest SET size = -1", "UPDATE manifest SET variant = 7", "UPDATE manifest SET size = 1 << 60",
            "ALTER TABLE manifest RENAME TO other", "ALTER TABLE manifest ADD COLUMN x",
            "DROP INDEX last_access_time_index", "CREATE TABLE other (x)",
        ])
    func nonsense(statement: String) throws {
        do {
            let tier = try tier()
            for number in 0..<3 { try tier.store(sampleKey(number), .sample(number, count: 15_000 * number)) }
        }
        try folder.file("data/notes.txt", "mine")
        _ = try query(statement)
        let tier = try tier()
        #expect(tier.figures.wipes == 1 && tier.occupancy == Occupancy())
        #expect(folder.objects == ["data/notes.txt"])
        try tier.store("a", .sample(2, count: 100))
        #expect(try tier.read("a")?.payload.array == Payload.sample(2, count: 100).array)
        #expect(try self.tier().figures.wipes == 0)
    }

    @Test("After random damage, every object is correct or missing, and the tier works")
    func damagedFiles() throws {
        var generator = SplitMix64(seed: 3)
        func size(_ number: Int) -> Int { [10, 3000, 15_000, 25_000][number % 4] }
        do {
            let tier = try tier()
            for number in 0..<40 { try tier.store(sampleKey(number), .sample(number, count: size(number))) }
        }
        let sound = try folder.bytes(file)
        var (wipes, lost, kept) = (0, 0, 0)
        for turn in 0..<100 {
            let copy = try TemporaryFolder()
            for part in folder.files where part != file {
                try FileManager.default.createDirectory(atPath: "\(copy.path)/data", withIntermediateDirectories: true)
                try copy.file(part, folder.bytes(part))
            }
            var bytes = sound
            switch turn % 5 {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            case 1:
                let page = Int.random(in: 0..<bytes.count / 4096, using: &generator) * 4096
                bytes.replaceSubrange(
                    page..<page + 4096, with: [UInt8](repeating: turn % 2 == 0 ? 0 : 0xFF, count: 4096))
            case 2:
                // Swapped pages are each valid.
                let pages = (0..<2).map { _ in Int.random(in: 1..<bytes.count / 4096, using: &generator) * 4096 }
                for byte in 0..<4096 { bytes.swapAt(pages[0] + byte, pages[1] + byte) }
            default:
                for _ in 0..<(turn % 5 == 3 ? 1 : 60) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                        1 << UInt8.random(in: 0..<8, using: &generator)
                }
            }
            try copy.file(file, bytes)
            let tier = try self.tier(at: copy.path)
            for number in 0..<40 {
                guard let payload = try tier.read(sampleKey(number))?.payload else { lost += 1; continue }
                #expect(payload.array == Payload.sample(number, count: size(number)).array)
                kept += 1
            }
            #expect(try tier.store("a", .sample(2, count: 100)))
            #expect(try tier.read("a")?.payload.array == Payload.sample(2, count: 100).array)
            wipes += tier.figures.wipes
        }
        #expect(wipes > 10 && lost > 100 && kept > 100, "all kinds were met: \(wipes) \(lost) \(kept)")
    }

    @Test("After damage at run time, the tier starts anew and stores the object")
    func damagedWhileRunning() throws {
        let tier = try tier()
        // More than SQLite keeps in memory.
        for number in 0..<300 { try tier.store(sampleKey(number), .sample(number, count: 20_000)) }
        try tier.relaunch(at: 0)
        let handle = try #require(FileHandle(forUpdatingAtPath: "\(folder.path)/\(file)"))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 8192)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: Int(size) - 8192))
        try handle.close()
        for number in 0..<300 {
            guard let payload = try tier.read(sampleKey(number))?.payload else { continue }
            #expect(payload.array == Payload.sample(number, count: 20_000).array)
        }
        #expect(tier.figures.wipes == 1)
        #expect(tier.occupancy == Occupancy())
        #expect(try tier.store("a", .sample(2, count: 100)))
        #expect(try tier.read("a")?.payload.array == Payload.sample(2, count: 100).array)
    }

    @Test("A database that another process locks is an error, and the index holds nothing that was not stored")
    func busy() throws {
        let tier = try tier()
        try tier.store("a", .sample(1, count: 100))
        let other = try SQLiteDatabase(folder.path, file, generation: 0)
        try other.run("BEGIN IMMEDIATE")
        let error = #expect(throws: DiskTierError.self) { try tier.store("b", .sample(1, count: 100)) }
        #expect(error?.description.contains("another process is using it") == true)
        #expect(try tier.read("a")?.payload.count == 100, "though its access cannot be noted")
        #expect(!tier.contains("b"))
        try other.run("COMMIT")
        try tier.store("b", .sample(1, count: 100))
        #expect(tier.occupancy == Occupancy(objects: 2, bytes: 200) && tier.figures.wipes == 0)
    }

    @Test("A folder in place of the database is an error")
    func notAFile() throws {
        _ = try tier()
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/\(file)", withIntermediateDirectories: false)
        let error = #expect(throws: DiskTierError.self) { _ = try tier() }
        #expect(error?.kind == .notWritable && error?.description.contains(file) == true)
    }
}
