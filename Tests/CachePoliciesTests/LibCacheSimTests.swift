import CachePolicies
import Foundation
import Testing

/// The package `libcachesim` of PyPI, which `scripts/test` installs.
enum LibCacheSim {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".build/test-python")

    static let isInstalled = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("libcachesim-ready").path)

    /// Prints the version, and the misses of each policy at each capacity, one process for each, because some
    /// capacities end the process.
    private static let program = """
        import importlib.metadata, os, resource, sys
        import libcachesim as L
        print("version", importlib.metadata.version("libcachesim"), flush=True)
        path, requests, ignores = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "objects"
        for capacity in sys.argv[4].split(","):
            for name in sys.argv[5].split(","):
                sys.stdout.flush()
                child = os.fork()
                if child == 0:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
                    options = L.ReaderInitParam(ignore_obj_size=ignores)
                    reader = L.TraceReader(path, L.TraceType.ORACLE_GENERAL_TRACE, options)
                    cache = getattr(L, name)(int(capacity), hashpower=14)
                    ratio = cache.process_trace(reader)[0]
                    print("misses", name, capacity, round(ratio * requests), flush=True)
                    os._exit(0)
                os.waitpid(child, 0)
        """

    struct Cell: Hashable {
        var policy: String
        var capacity: Int
    }

    /// Returns the version, and the misses of the cells in which the process did not end.
    static func run(_ trace: PeerTrace, _ policies: [String], _ capacities: [Int], countsObjects: Bool) throws -> (
        version: String, misses: [Cell: Int]
    ) {
        let path = NSTemporaryDirectory() + "cachereplay-\(UUID().uuidString).oracleGeneral.bin"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try trace.oracleGeneral.write(to: URL(fileURLWithPath: path))
        let process = Process()
        process.executableURL = folder.appendingPathComponent("bin/python")
        process.arguments = [
            "-c", program, path, "\(trace.objects.count)", countsObjects ? "objects" : "bytes",
            capacities.map(String.init).joined(separator: ","), policies.joined(separator: ","),
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        var version = ""
        var misses: [Cell: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "version", words.count == 2 { version = words[1] }
            guard words.first == "misses", words.count == 4 else { continue }
            misses[Cell(policy: words[1], capacity: Int(words[2]) ?? 0)] = Int(words[3])
        }
        return (version, misses)
    }
}

/// A trace whose ids number the objects by first use, from 0.
struct PeerTrace: Sendable, CustomTestStringConvertible {
    var objects: [UInt32] = []
    /// By object.
    var sizes: [Int] = []
    var nexts: [UInt32] = []
    let testDescription: String

    /// Draws requests: of a few popular objects most, of all objects in turn, or both by turns.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = [40, 120, 300][Int(random.next() % 3)]
        let loops = random.next() % 3
        var numbers: [Int: UInt32] = [:]
        var isLoop = false
        for step in 0..<2500 {
            if step % 50 == 0 { isLoop = loops == 2 || loops == 1 && random.next() % 2 == 0 }
            // The product of two uniform numbers prefers low ones.
            let popular = Int(random.next() % UInt64(count)) * Int(random.next() % UInt64(count)) / count
            let object = isLoop && random.next() % 8 > 0 ? step % count : popular
            if numbers[object] == nil {
                numbers[object] = UInt32(numbers.count)
                sizes.append(1 + Int(random.next() % 1000))
            }
            objects.append(numbers[object] ?? 0)
        }
        nexts = nextPositions(objects.map(Int.init)).map { $0 == .max ? .max : UInt32($0) }
        testDescription = "seed \(seed): \(sizes.count) objects"
    }

    /// Records of 24 bytes: time, id, size, and the position of the next request of the object, counted from 1.
    var oracleGeneral: Data {
        var data = Data()
        for (index, object) in objects.enumerated() {
            withUnsafeBytes(of: UInt32(index).littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt64(object).littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt32(sizes[Int(object)]).littleEndian) { data.append(contentsOf: $0) }
            let next = nexts[index] == .max ? -1 : Int64(nexts[index]) + 1
            withUnsafeBytes(of: next.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    func capacities(countsObjects: Bool) -> [Int] {
        let whole = countsObjects ? sizes.count : sizes.reduce(0, +)
        return [2, 5, 10, 20, 40, 70].map { max(2, whole * $0 / 100) }
    }

    func misses(_ specification: String, _ capacity: Int, countsObjects: Bool) throws -> Int {
        let size: Size = countsObjects ? .objects(capacity) : .bytes(capacity)
        var policy = try PolicyContext(capacity: size).policy(specification)
        policy.reserve(sizes.count)
        return TestColumns(objects: objects, sizes: countsObjects ? [] : sizes).run(&policy).misses
    }

    /// The misses of a slow twin.
    func misses(_ twin: some SlowTwin, countsObjects: Bool) -> Int {
        var twin = twin
        return objects.count { object in
            let access = Access(object: Int(object), size: countsObjects ? 1 : sizes[Int(object)])
            guard twin.lookup(access) == .miss else { return false }
            _ = twin.admit(access)
            return true
        }
    }
}

/// Every policy that both have, to the last miss.
@Suite(
    "The package libcachesim of PyPI",
    .enabled(if: LibCacheSim.isInstalled, "scripts/test installs libcachesim from PyPI"))
struct LibCacheSimTests {
    /// By the package's name.
    static let specifications = [
        "LRU": "lru", "FIFO": "fifo", "Clock": "clock", "Sieve": "sieve", "LFU": "lfu", "Belady": "belady",
        "ARC": "arc(compat: libcachesim)", "LIRS": "lirs(compat: libcachesim)", "TwoQ": "2q(compat: libcachesim)",
        "SLRU": "slru(compat: libcachesim)", "S3FIFO": "s3fifo(compat: libcachesim)",
        "WTinyLFU": "w-tinylfu(compat: libcachesim)", "GDSF": "gdsf(compat: libcachesim)",
        "Clock2QPlus": clock2QPlus,
    ]

    /// The package's ghosts have 0.9 of the capacity, and the paper's 0.5.
    static let clock2QPlus = "clock2q-plus(ghost: 0.9, compat: libcachesim)"

    /// Policies that are compared with the commit only, see `ReferenceTests`: the package's interface for Python does
    /// not offer QDLP, and its LFUDA ends the process or runs without end in most cells.
    static let missing: Set = ["qdlp", "lfuda"]

    @Test("Every policy with the parameter compat is compared")
    func coverage() {
        let names = PolicyRegistry.builtIn.entries.filter { $0.parameters.contains { $0.label == "compat" } }.map(
            \.name)
        let compared = Set(Self.specifications.values.compactMap { $0.split(separator: "(").first.map(String.init) })
        #expect(Set(names).subtracting(compared) == Self.missing)
    }

    @Test("Misses on random traces", arguments: (1...5).map { PeerTrace(seed: $0) }, [true, false])
    func random(trace: PeerTrace, countsObjects: Bool) throws {
        let capacities = trace.capacities(countsObjects: countsObjects)
        let peer = try LibCacheSim.run(
            trace, Self.specifications.keys.sorted(), capacities, countsObjects: countsObjects)
        #expect(peer.version == Compatibility.release)
        // Some policies, S3FIFO, WTinyLFU and Clock2QPlus first, end the process at small capacities.
        #expect(peer.misses.count >= capacities.count * (Self.specifications.count - 4))
        for (cell, expected) in peer.misses {
            let specification = try #require(Self.specifications[cell.policy])
            let misses = try trace.misses(specification, cell.capacity, countsObjects: countsObjects)
            if cell.policy == "LIRS", misses != expected {
                // With two objects, the flaw alone does not explain the package's counts. Policies.md says so.
                if countsObjects, cell.capacity == 2 { continue }
                // Its flaw, in a twin of the paper's words.
                let twin = SlowLIRS(
                    bytes: countsObjects ? .max : cell.capacity, objects: countsObjects ? cell.capacity : .max,
                    likeLibCacheSim: true, keepsPhantoms: true)
                #expect(trace.misses(twin, countsObjects: countsObjects) == expected, "\(specification), \(cell)")
                continue
            }
            #expect(misses == expected, "\(specification), \(cell)")
        }
    }

    /// 3L-Cache makes its first model of 65,536 rows, more than these traces have. Until then, no random number
    /// decides.
    @Test(
        "Clock2Q+, and 3L-Cache before its first model, on thirty random traces",
        arguments: (6...35).map { PeerTrace(seed: $0) })
    func thirty(trace: PeerTrace) throws {
        let specifications = ["Clock2QPlus": Self.clock2QPlus, "ThreeLCache": "3l-cache"]
        for countsObjects in [true, false] {
            let capacities = trace.capacities(countsObjects: countsObjects)
            let peer = try LibCacheSim.run(
                trace, specifications.keys.sorted(), capacities, countsObjects: countsObjects)
            #expect(peer.misses.count == 2 * Set(capacities).count)
            for (cell, expected) in peer.misses {
                let specification = try #require(specifications[cell.policy])
                let misses = try trace.misses(specification, cell.capacity, countsObjects: countsObjects)
                #expect(misses == expected, "\(specification), \(cell)")
            }
        }
    }
}
