import CachePolicies
import CacheTiers
import CacheTraces
import Foundation

/// The disk tier, which checks every byte it reads, beside the bare system calls and beside Foundation, which do not. Files of
/// 60 KB, read from the page cache; the same number of files and the same bytes on all sides.
func diskTierBenchmarks() throws -> [BenchmarkRow] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try DiskBench(folder)
    try bench.check()
    let reads = try alternating(rounds: 41, [bench.readOurs, bench.readRaw, bench.readFoundation])
    // Many short rounds: a disk has moods, and the median of many passes over them. One peer at a time: Foundation's atomic write waits for the disk, and whoever comes after it pays for that.
    let stores = try alternating(rounds: 61, [bench.storeOurs, bench.storeRaw])
    let beside = try alternating(rounds: 21, [bench.storeOurs, bench.storeFoundation])
    try bench.check()
    func row(_ name: String, _ peerName: String, _ ours: Double, _ peer: Double) -> BenchmarkRow {
        BenchmarkRow(name, metric: "time per file", unit: "us", .lowerIsBetter, ours: ours, peerName: peerName, peer: peer)
    }
    return [
        row("disk read 60 KB", "open, fstat, read, close", reads[0], reads[1]),
        row("disk read 60 KB", "Foundation Data(contentsOf:)", reads[0], reads[2]),
        row("disk store 60 KB", "create, write, close, rename", stores[0], stores[1]),
        row("disk store 60 KB", "Foundation Data.write atomic", beside[0], beside[1]),
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
    /// Beside each file, as the tier has it: renaming across folders is slower.
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
        // The peers have the same tree of folders, and the same names in it.
        func paths(_ name: String) throws -> [URL] {
            let top = folder.appendingPathComponent(name)
            for number in 0..<256 {
                try FileManager.default.createDirectory(
                    at: top.appendingPathComponent(String(format: "%02X", number)), withIntermediateDirectories: true)
            }
            return names.map(top.appendingPathComponent)
        }
        rawPaths = try paths("raw").map(\.path)
        temporaryPaths = rawPaths.map { $0 + "~" }
        urls = try paths("foundation")
        _ = try storeRaw()
        _ = try storeFoundation()
    }

    /// Every byte on every side.
    func check() throws {
        for number in 0..<Self.count {
            let pattern = PayloadPattern(key: keys[number])
            let ours = try tier.read(keys[number])?.payload
            let raw = try Data(contentsOf: URL(fileURLWithPath: rawPaths[number]))
            let foundation = try Data(contentsOf: urls[number])
            guard let ours, ours.count == Self.size, raw.count == Self.size, foundation.count == Self.size,
                pattern.matches(ours.bytes), raw.withUnsafeBytes(pattern.matches), foundation.withUnsafeBytes(pattern.matches)
            else { throw BenchmarkError(description: "File \(number) is not what was stored.") }
        }
    }

    /// Microseconds per file.
    private func perFile(_ passes: Int, _ body: (Int) throws -> Int) throws -> Double {
        var bytes = 0
        let time = try seconds {
            for _ in 0..<passes { for number in 0..<Self.count { bytes += try body(number) } }
        }
        guard bytes == passes * Self.count * Self.size else { throw BenchmarkError(description: "\(bytes) bytes were moved.") }
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

    // Every round stores into empty folders; emptying them is not timed.

    func storeOurs() throws -> Double {
        try tier.removeAll()
        return try perFile(1) { try tier.store(keys[$0], payloads[$0]) ? payloads[$0].count : 0 }
    }

    func storeRaw() throws -> Double {
        for path in rawPaths { unlink(path) }
        return try perFile(1) { number in
            let file = open(temporaryPaths[number], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            let bytes = payloads[number].bytes
            let written = write(file, bytes.baseAddress, bytes.count)
            return close(file) == 0 && rename(temporaryPaths[number], rawPaths[number]) == 0 ? written : 0
        }
    }

    func storeFoundation() throws -> Double {
        for url in urls { unlink(url.path) }
        return try perFile(1) { number in
            try data[number].write(to: urls[number], options: .atomic)
            return data[number].count
        }
    }
}
