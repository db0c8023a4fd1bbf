import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import MeasuredTiers

/// Compares the disk tier, which verifies every byte it reads, with plain system calls and with Foundation, which do
/// not. Files of 60 KB from the page cache; all sides use the same number of files and the same bytes.
func diskTierBenchmarks() throws -> [BenchmarkRow] {
    let folder = try ScratchFolder(prefix: "cachereplay-bench")
    defer { folder.remove() }
    let bench = try DiskBench(URL(fileURLWithPath: folder.path))
    try bench.check()
    let reads = try alternating(rounds: 41, [bench.readOurs, bench.readRaw, bench.readFoundation])
    // The speed of a disk varies: the sides alternate file by file, so that variations affect both. One peer at a time:
    // Foundation's atomic write waits for the disk, which slows the next side down.
    let stores = try bench.storeInTurn(rounds: 41, bench.storeRaw)
    let beside = try bench.storeInTurn(rounds: 21, bench.storeFoundation)
    try bench.check()
    func row(_ name: String, _ peerName: String, _ ours: Double, _ peer: Double) -> BenchmarkRow {
        BenchmarkRow(
            name, metric: "time per file", unit: "us", .lowerIsBetter, ours: ours, peerName: peerName, peer: peer)
    }
    return [
        row("disk read 60 KB", "open, fstat, read, close", reads[0], reads[1]),
        row("disk read 60 KB", "Foundation Data(contentsOf:)", reads[0], reads[2]),
        row("disk store 60 KB", "create, write, close, rename", stores.ours, stores.peer),
        row("disk store 60 KB", "Foundation Data.write atomic", beside.ours, beside.peer),
    ]
}

private struct DiskBench {
    static let size = 60_000
    static let count = 50
    static let passes = 4
    let keys = (0..<Self.count).map { "https://photos.example/album/2026/IMG_\(1000 + $0)_1200x800.jpg" }
    let payloads: [Payload]
    let data: [Data]
    let tier: DiskTier
    let rawPaths: [String]
    /// Beside each file, as in the tier: renaming across folders is slower.
    let temporaryPaths: [String]
    let urls: [URL]

    init(_ folder: URL) throws {
        payloads = keys.map { key in Payload(count: Self.size) { PayloadPattern(key: key).fill($0) } }
        data = payloads.map { Data($0.bytes) }
        tier = try DiskTier(
            PolicyContext().policy("lru(1GB)"), at: folder.appendingPathComponent("ours").path, epoch: Date())
        for (key, payload) in zip(keys, payloads) { try tier.store(key, payload) }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent("ours").path)
            .filter { $0.count > 2 }
        // The peers' files are in the tier's folders: a file system places the files of a folder together, and parts of
        // a disk can differ in speed by a factor.
        let files = names.map(folder.appendingPathComponent("ours").appendingPathComponent)
        rawPaths = files.map { $0.path + ".raw" }
        urls = files.map { $0.appendingPathExtension("foundation") }
        temporaryPaths = rawPaths.map { $0 + "~" }
        for number in keys.indices {
            _ = try storeRaw(number)
            _ = try storeFoundation(number)
        }
    }

    /// Checks every byte on every side.
    func check() throws {
        for number in 0..<Self.count {
            let pattern = PayloadPattern(key: keys[number])
            let ours = try tier.read(keys[number])?.payload
            let raw = try Data(contentsOf: URL(fileURLWithPath: rawPaths[number]))
            let foundation = try Data(contentsOf: urls[number])
            guard let ours, ours.count == Self.size, raw.count == Self.size, foundation.count == Self.size,
                pattern.matches(ours.bytes), raw.withUnsafeBytes(pattern.matches),
                foundation.withUnsafeBytes(pattern.matches)
            else { throw BenchmarkError(description: "File \(number) is not what was stored.") }
        }
    }

    /// Microseconds per file.
    private func perFile(_ passes: Int, _ body: (Int) throws -> Int) throws -> Double {
        var bytes = 0
        let time = try seconds {
            for _ in 0..<passes { for number in 0..<Self.count { bytes += try body(number) } }
        }
        guard bytes == passes * Self.count * Self.size else {
            throw BenchmarkError(description: "\(bytes) bytes were moved.")
        }
        return time / Double(passes * Self.count) * 1e6
    }

    func readOurs() throws -> Double {
        try perFile(Self.passes) { try tier.read(keys[$0])?.payload.count ?? 0 }
    }

    func readRaw() throws -> Double {
        try perFile(Self.passes) { number in
            let file = open(rawPaths[number], O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            var facts = stat()
            guard fstat(file, &facts) == 0 else { return 0 }
            let buffer = UnsafeMutableRawPointer.allocate(byteCount: Int(facts.st_size), alignment: 16)
            defer { buffer.deallocate() }
            return read(file, buffer, Int(facts.st_size))
        }
    }

    func readFoundation() throws -> Double {
        try perFile(Self.passes) { try Data(contentsOf: urls[$0]).count }
    }

    /// Returns the medians of the rounds' microseconds per file. Every round stores into empty folders; emptying them
    /// is not measured.
    func storeInTurn(rounds: Int, _ peer: (Int) throws -> Int) throws -> (ours: Double, peer: Double) {
        var ours: [Double] = []
        var theirs: [Double] = []
        for round in 0...rounds {
            try tier.removeAll()
            for path in rawPaths + urls.map(\.path) { unlink(path) }
            var times = (ours: 0.0, peer: 0.0)
            var bytes = 0
            for number in keys.indices {
                let oursFirst = (round + number) % 2 == 0
                if oursFirst { times.ours += try seconds { bytes += try storeOurs(number) } }
                times.peer += try seconds { bytes += try peer(number) }
                if !oursFirst { times.ours += try seconds { bytes += try storeOurs(number) } }
            }
            guard bytes == 2 * Self.count * Self.size else {
                throw BenchmarkError(description: "\(bytes) bytes were moved.")
            }
            guard round > 0 else { continue }  // The first round warms up.
            ours.append(times.ours / Double(Self.count) * 1e6)
            theirs.append(times.peer / Double(Self.count) * 1e6)
        }
        // Restores the side that was not measured, which was emptied too, for the check.
        for number in keys.indices {
            _ = try storeRaw(number)
            _ = try storeFoundation(number)
        }
        return (median(ours), median(theirs))
    }

    private func storeOurs(_ number: Int) throws -> Int {
        try tier.store(keys[number], payloads[number]) ? Self.size : 0
    }

    func storeRaw(_ number: Int) throws -> Int {
        let file = open(temporaryPaths[number], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        let bytes = payloads[number].bytes
        let written = write(file, bytes.baseAddress, bytes.count)
        return close(file) == 0 && rename(temporaryPaths[number], rawPaths[number]) == 0 ? written : 0
    }

    func storeFoundation(_ number: Int) throws -> Int {
        try data[number].write(to: urls[number], options: .atomic)
        return data[number].count
    }
}
