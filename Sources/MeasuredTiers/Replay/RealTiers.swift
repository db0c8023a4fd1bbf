import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import Synchronization

/// Payloads in memory and files on disk, under the trace's keys.
///
/// The monotonic clock measures each operation. The check of the delivered bytes is outside of the measured time. The
/// type is safe to use from several threads.
struct RealTiers: ReplayTiers, Sendable {
    typealias Body = MeasuredBody

    static let areMeasured = true

    let memory: MemoryTier
    /// The memory of encoded bytes.
    let encoded: MemoryTier?
    /// The most bytes in both memories at once; only the main lane stores.
    private let memoryPeak = PeakBytes()
    let disk: DiskTier?
    private let objects: ReplayObjects
    private let checks: [PayloadCheck]
    /// nil if images are not decoded.
    private let forms: ImageForms?
    /// What is decoded in place of generated bodies; nil if images are not decoded.
    private let standIns: StandInImages?
    private let folder: String
    private let failures = StoredFailures()

    /// - Parameters:
    ///   - standIns: What is decoded in place of bodies that were not kept; nil if images are not decoded.
    ///   - folder: The folder of the disk tier.
    init(
        _ objects: ReplayObjects, checks: [PayloadCheck], standIns: StandInImages?, memory: sending any CachePolicy,
        disk: sending (any CachePolicy)?, folder: String
    ) throws {
        self.objects = objects
        self.folder = folder
        self.checks = checks
        self.standIns = standIns
        forms = standIns == nil ? nil : ImageForms()
        self.memory = MemoryTier(
            memory, entryRule: objects.memoryRules.entryRule, pinsShown: objects.memoryRules.pinsShown,
            live: objects.memoryRules.live)
        encoded = disk == nil ? nil : objects.encodedMemory.map { MemoryTier(LRU($0.limits), entryRule: $0.entryRule) }
        if let disk {
            self.disk = try DiskTier(
                disk, at: folder, format: objects.diskRules.format, entryRule: objects.diskRules.entryRule,
                epoch: Date())
        } else {
            self.disk = nil
        }
    }

    /// Keeps journals of what leaves the tiers, for a recorder of causes.
    func keepJournals(for recorder: ReplayRecorder) {
        memory.startJournal(objects: objects.keys.count * 2)
        disk?.startJournal(objects: objects.keys.count * 2)
        recorder.follow(RealJournals(memory: memory, disk: disk))
    }

    /// Runs every operation once on tiers that are discarded, so that first-time costs are not the cache's.
    func warmUp() throws {
        let payload = Payload(count: 1) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        let memory = MemoryTier(FIFO(Limits()))
        memory.store(payload, for: "warm-up")
        _ = memory.payload(for: "warm-up")
        guard self.disk != nil else { return }
        let path = "\(folder)-warm-up"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let disk = try DiskTier(FIFO(Limits()), at: path, format: objects.diskRules.format, epoch: Date())
        try disk.store("warm-up", payload)
        _ = try disk.read("warm-up")
    }

    var hasDisk: Bool { disk != nil }
    var hasEncodedMemory: Bool { encoded != nil }
    var memoryOccupancy: Occupancy { encoded.map { memory.occupancy + $0.occupancy } ?? memory.occupancy }
    var diskOccupancy: Occupancy { disk?.occupancy ?? Occupancy() }

    func clearMemory() {
        memory.clear()
        encoded?.clear()
    }

    func trimMemory(to cost: Int) throws { try memory.trim(to: cost) }

    func trimMemory(toShare share: Double) throws {
        try memory.trim(to: objects.memoryRules.share(share, of: memory.cost))
    }

    func show(_ imageKey: ImageKey) { memory.show(objects.memoryKeys[imageKey.object], variant: imageKey.variant) }

    func hide(_ imageKey: ImageKey, at time: Int64) {
        memory.hide(objects.memoryKeys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
    }

    func lookUpEncoded(_ imageKey: ImageKey, at time: Int64) -> Answer<MeasuredBody> {
        let (hit, duration) = MonotonicClock.timing {
            encoded?.payload(for: objects.memoryKeys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }
        guard let hit else { return Answer(found: .miss, body: nil, duration: duration) }
        return answer(imageKey, hit.payload, isStale: false, duration)
    }

    func removeFromMemory(_ imageKey: ImageKey, at time: Int64) {
        let key = objects.memoryKeys[imageKey.object]
        memory.remove(key, variant: imageKey.variant, at: time / 1_000)
        encoded?.remove(key, variant: imageKey.variant, at: time / 1_000)
    }

    func removeFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try MonotonicClock.timing {
            try disk?.remove(objects.keys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }.duration
    }

    func touchOnDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try MonotonicClock.timing {
            try disk?.touch(objects.keys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }.duration
    }

    func lookUpInMemory(_ imageKey: ImageKey, at time: Int64) -> Answer<MeasuredBody> {
        let (hit, duration) = MonotonicClock.timing {
            memory.payload(for: objects.memoryKeys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }
        guard let hit else { return Answer(found: .miss, body: nil, duration: duration) }
        return answer(imageKey, hit.payload, isStale: hit.isStale, duration)
    }

    func storeInMemory(_ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) -> Int64 {
        let body = ReplayBody.of(body)
        let bitmap = objects.memoryRules.holds == .decoded ? body.bitmap?.pixels : nil
        // The stand-in for a bitmap begins with the bytes of the response, also if the bitmap has fewer bytes.
        let held =
            bitmap
            ?? body.bytes.resized(to: max(objects.held(imageKey.object), objects.images.encoded[imageKey.object]))
        let size = bitmap?.count ?? objects.held(imageKey.object)
        let cost = objects.cost(imageKey.object, decoded: body.bitmap?.pixels.count)
        let duration = MonotonicClock.timing {
            encoded?.store(
                body.bytes, for: objects.memoryKeys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
            memory.store(
                held, for: objects.memoryKeys[imageKey.object], counting: (size, cost), variant: imageKey.variant,
                at: time / 1_000, expiration: expiration)
        }.duration
        if encoded != nil { memoryPeak.note(memoryOccupancy.bytes) }
        return duration
    }

    func readFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Answer<MeasuredBody> {
        let (read, duration) = try MonotonicClock.timing {
            try disk?.read(objects.keys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }
        guard let read else { return Answer(found: .miss, body: nil, duration: duration) }
        if failures.contains(objects.diskNumber(imageKey)) { return .storedFailure(after: duration) }
        if read.isDamaged { return Answer(found: .hit, body: nil, duration: duration) }
        return answer(imageKey, read.payload, isStale: read.isStale, duration)
    }

    func storeOnDisk(_ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64 {
        let body = ReplayBody.of(body)
        let key = objects.keys[imageKey.object]
        if !objects.diskRules.overwrites, disk?.contains(key, variant: imageKey.variant) == true { return 0 }
        let (written, encoding) =
            body.bitmap.map { encodedAgain(body, $0) } ?? (body.bytes.resized(to: objects.written(imageKey.object)), 0)
        if encoding > 0 { forms?.add(written, of: body) }
        if !ignores(written.count) { failures.remove(objects.diskNumber(imageKey)) }
        return try encoding
            + MonotonicClock.timing {
                try disk?.store(key, written, variant: imageKey.variant, at: time / 1_000, expiration: expiration)
            }.duration
    }

    func storeFailureOnDisk(_ imageKey: ImageKey, bytes: Int, at time: Int64) throws -> Int64 {
        let key = objects.keys[imageKey.object]
        if !objects.diskRules.overwrites, disk?.contains(key, variant: imageKey.variant) == true { return 0 }
        let answer = Payload(count: bytes) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        if !ignores(bytes) { failures.insert(objects.diskNumber(imageKey)) }
        return try MonotonicClock.timing {
            try disk?.store(key, answer, variant: imageKey.variant, at: time / 1_000)
        }.duration
    }

    /// Whether storing a file of this size has no effect, so that an older one of its name stays.
    private func ignores(_ size: Int) -> Bool {
        guard let rule = objects.diskRules.entryRule, rule.oversize == .ignored else { return false }
        return !rule.admits(objects.diskRules.format.counted(size))
    }

    /// Returns the bytes to write of a decoded image, and the duration of encoding them: 0 for the original bytes.
    private func encodedAgain(_ body: ReplayBody, _ bitmap: Bitmap) -> (Payload, duration: Int64) {
        let isJPEG: Bool
        switch objects.diskRules.content {
        case .original: return (body.bytes, 0)
        case .jpeg: isJPEG = true
        case .jpegOrPNG: isJPEG = ImageFormat(body.bytes.bytes) == .jpeg
        }
        let (encoded, duration) = MonotonicClock.timing {
            isJPEG ? try? ImageCodec.encodeJPEG(bitmap, quality: 100) : try? ImageCodec.encodePNG(bitmap)
        }
        // Encoding fails only for an image that is too large for its format.
        return (encoded ?? body.bytes, duration)
    }

    func decode(_ body: MeasuredBody, _ imageKey: ImageKey) -> Answer<MeasuredBody> {
        let body = ReplayBody.of(body)
        guard ImageFormat(body.bytes.bytes) != nil else {
            return Answer(found: .hit, body: body, duration: decodeStandIn(for: imageKey.object))
        }
        let (bitmap, duration) = MonotonicClock.timing { try? ImageCodec.decode(body.bytes.bytes) }
        guard let bitmap else { return Answer(found: .miss, body: nil, duration: duration) }
        forms?.add(bitmap, of: body, for: imageKey.object)
        return Answer(
            found: .hit, body: ReplayBody(bytes: body.bytes, bitmap: bitmap, isWrong: body.isWrong), duration: duration)
    }

    /// Decodes the image that stands for a generated body, and returns the duration: 0 if the object is not an image,
    /// and the modelled one if no image could be made. The pixels are discarded: memory holds as many bytes.
    private func decodeStandIn(for object: Int) -> Int64 {
        guard objects.images.isImage(object) else { return 0 }
        if let image = standIns?[object] {
            let (bitmap, duration) = MonotonicClock.timing { try? ImageCodec.decode(image.bytes) }
            if bitmap != nil {
                forms?.addGenerated(object)
                return duration
            }
        }
        forms?.addModelled(object)
        return objects.images.decoding(object, .standard)
    }

    /// The numbers of objects that were decoded; nil if images are not decoded.
    var decodedCounts: DecodedCounts? { forms?.counts }

    func removeExpiredFromDisk(at time: Int64) throws -> Int64 {
        try MonotonicClock.timing { try disk?.removeExpired(at: time / 1_000) }.duration
    }

    /// Converts a response of the origin.
    func answer(_ imageKey: ImageKey, _ response: OriginResponse, _ duration: Int64) throws -> Answer<MeasuredBody> {
        if let failure = response.failure, failure.kind == .refused || failure.kind == .badURL {
            throw ReplayError("The loopback origin cannot be reached: \(failure)", kind: .originLost)
        }
        // The recorded network has no such failure.
        if let failure = response.failure, failure.kind == .tooLarge {
            throw ReplayError(
                """
                \(objects.keys[imageKey.object].prefix(80)) cannot be fetched: \(failure) --timing modelled takes any \
                size.
                """
            )
        }
        // A request with header fields has the body of any response.
        guard response.failure == nil, (200..<300).contains(response.status), let payload = response.payload else {
            return Answer(
                found: .miss, body: nil, duration: duration, bytes: response.receivedBytes,
                isNotModified: response.status == 304)
        }
        var answer = answer(imageKey, payload, isStale: false, duration)
        answer.bytes = response.receivedBytes
        return answer
    }

    func advance(to time: Int64) throws {
        memory.advance(to: time / 1_000)
        try disk?.advance(to: time / 1_000)
    }

    func relaunch(at time: Int64) throws {
        memory.relaunch(at: time / 1_000)
        encoded?.relaunch(at: time / 1_000)
        try disk?.relaunch(at: time / 1_000)
    }

    func figures() -> TierFigures {
        var figures = TierFigures()
        figures.count(memory: memory.counts, disk: disk?.figures.counts ?? TierCounts())
        if let encoded { figures.count(encoded: encoded.counts, peakOfBoth: memoryPeak.bytes) }
        figures.damagedFiles = disk?.figures.corruptFiles ?? 0
        figures.diskReadBytes = Int64(disk?.figures.readBytes ?? 0)
        figures.diskWrittenBytes = Int64(disk?.figures.writtenBytes ?? 0)
        return figures
    }

    /// Checks a payload. In every form, it begins with the bytes of the response.
    private func answer(_ imageKey: ImageKey, _ payload: Payload, isStale: Bool, _ duration: Int64) -> Answer<
        MeasuredBody
    > {
        if let forms, forms.contains(payload, of: imageKey.object) {
            return Answer(found: isStale ? .staleHit : .hit, body: ReplayBody(bytes: payload), duration: duration)
        }
        let size = objects.images.encoded[imageKey.object]
        let isWhole =
            (payload.count == size || payload.count == objects.held(imageKey.object)
                || payload.count == objects.written(imageKey.object))
            && payload.count >= size
            && checks[imageKey.object].matches(UnsafeRawBufferPointer(rebasing: payload.bytes[..<size]))
        return Answer(
            found: isStale ? .staleHit : .hit, body: ReplayBody(bytes: payload, isWrong: !isWhole), duration: duration,
            isWrong: !isWhole)
    }
}

/// The files that hold a failure, by ``ReplayObjects/diskNumber(_:)``. Safe under concurrent use.
///
/// Numbers of files that have left stay, without an effect.
private final class StoredFailures: Sendable {
    private let numbers = Mutex<Set<Int>>([])

    func contains(_ number: Int) -> Bool { numbers.withLock { $0.contains(number) } }
    func insert(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }
    func remove(_ number: Int) { numbers.withLock { _ = $0.remove(number) } }
}

/// The highest of several numbers of bytes. Safe under concurrent use.
private final class PeakBytes: Sendable {
    private let highest = Mutex(0)

    var bytes: Int { highest.withLock { $0 } }

    func note(_ bytes: Int) { highest.withLock { $0 = max($0, bytes) } }
}

extension Payload {
    /// Returns the bytes cut or padded to a length: the stand-in for a bitmap, or for an image that is encoded again.
    fileprivate func resized(to count: Int) -> Payload {
        guard count != self.count else { return self }
        let own = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        return Payload(count: count) { all in
            all.copyMemory(from: own)
            // Touches every page, so that it is resident.
            UnsafeMutableRawBufferPointer(rebasing: all[own.count...]).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}

/// What the real tiers deliver: the bytes of the response or file, and the bitmap that was decoded from them.
final class ReplayBody: Sendable {
    let bytes: Payload
    let bitmap: Bitmap?
    /// Bytes of another key, or torn ones.
    let isWrong: Bool

    init(bytes: Payload, bitmap: Bitmap? = nil, isWrong: Bool = false) {
        (self.bytes, self.bitmap, self.isWrong) = (bytes, bitmap, isWrong)
    }

    /// Returns a body that the engine hands back. Tiers and network of this module make bodies of this type alone.
    static func of(_ body: MeasuredBody) -> ReplayBody { unsafeDowncast(body, to: ReplayBody.self) }
}

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
