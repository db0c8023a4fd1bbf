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
    let encoded: MemoryTier?
    /// The most bytes in both memories at once; only the main lane stores.
    private let memoryPeak = PeakBytes()
    let disk: DiskTier?
    private let objects: ReplayObjects
    private let checks: [PayloadCheck]
    /// nil if images are not decoded.
    private let forms: ImageForms?
    /// The images that are decoded in place of generated bodies; nil if images are not decoded.
    private let standIns: StandInImages?
    private let folder: String
    private let failuresInMemory = StoredFailures()
    private let failuresOnDisk = StoredFailures()
    /// The objects that were written with the assumed size of an image that is encoded again.
    private let assumedFiles = NumberSet()

    /// - Parameters:
    ///   - standIns: The images that are decoded in place of bodies that were not kept; nil if images are not decoded.
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
        if let failure = failuresInMemory[objects.memoryNumber(imageKey)] { return .found(failure, after: duration) }
        return answer(imageKey, hit.payload, isStale: hit.isStale, duration)
    }

    func storeInMemory(_ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) -> Int64 {
        let body = ReplayBody.of(body)
        // Generated bytes are no image. What stands for their bitmap begins with them.
        let isImage = ImageFormat(body.bytes.bytes) != nil
        let bitmap = isImage && objects.memoryRules.holds == .decoded ? body.bitmap?.pixels : nil
        let held =
            bitmap
            ?? body.bytes.resized(to: max(objects.held(imageKey.object), objects.images.encoded[imageKey.object]))
        // The bitmap of a generated image counts as the object's, whose pixel size can be assumed.
        let isOwn = isImage && !checks[imageKey.object].isGenerated
        let size = isOwn ? bitmap?.count ?? objects.held(imageKey.object) : objects.held(imageKey.object)
        let cost = objects.cost(imageKey.object, decoded: isOwn ? body.bitmap?.pixels.count : nil)
        if !isIgnoredInMemory(cost) { failuresInMemory[objects.memoryNumber(imageKey)] = nil }
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

    func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) -> Int64 {
        let cost = objects.failureCost(failure)
        if !isIgnoredInMemory(cost) { failuresInMemory[objects.memoryNumber(imageKey)] = failure }
        return MonotonicClock.timing {
            memory.store(
                Self.payload(of: failure), for: objects.memoryKeys[imageKey.object], counting: (failure.bytes, cost),
                variant: imageKey.variant, at: time / 1_000, expiration: failure.expiration)
        }.duration
    }

    /// Bytes that stand for the body of a failed fetch.
    private static func payload(of failure: StoredFailure) -> Payload {
        Payload(count: failure.bytes) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    func readFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Answer<MeasuredBody> {
        let (read, duration) = try MonotonicClock.timing {
            try disk?.read(objects.keys[imageKey.object], variant: imageKey.variant, at: time / 1_000)
        }
        guard let read else { return Answer(found: .miss, body: nil, duration: duration) }
        if let failure = failuresOnDisk[objects.diskNumber(imageKey)] { return .found(failure, after: duration) }
        if read.isDamaged { return Answer(found: .hit, body: nil, duration: duration) }
        return answer(imageKey, read.payload, isStale: read.isStale, duration)
    }

    func storeOnDisk(_ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64 {
        let body = ReplayBody.of(body)
        let key = objects.keys[imageKey.object]
        if !objects.diskRules.overwrites, disk?.contains(key, variant: imageKey.variant) == true { return 0 }
        let (written, encoding) = file(of: body, imageKey)
        if !ignores(written.count) { failuresOnDisk[objects.diskNumber(imageKey)] = nil }
        return try encoding
            + MonotonicClock.timing {
                try disk?.store(key, written, variant: imageKey.variant, at: time / 1_000, expiration: expiration)
            }.duration
    }

    func storeFailureOnDisk(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        let key = objects.keys[imageKey.object]
        if !objects.diskRules.overwrites, disk?.contains(key, variant: imageKey.variant) == true { return 0 }
        if !ignores(failure.bytes) { failuresOnDisk[objects.diskNumber(imageKey)] = failure }
        return try MonotonicClock.timing {
            try disk?.store(
                key, Self.payload(of: failure), variant: imageKey.variant, at: time / 1_000,
                expiration: failure.expiration)
        }.duration
    }

    /// Whether storing an object of this cost in memory has no effect, so that an older one of its key stays.
    private func isIgnoredInMemory(_ cost: Int) -> Bool {
        guard let rule = objects.memoryRules.entryRule, rule.oversize == .ignored else { return false }
        return !rule.admits(cost)
    }

    /// Whether storing a file of this size has no effect, so that an older one of its name stays.
    private func ignores(_ size: Int) -> Bool {
        guard let rule = objects.diskRules.entryRule, rule.oversize == .ignored else { return false }
        return !rule.admits(objects.diskRules.format.counted(size))
    }

    /// Returns the bytes to write of an image, and the duration of making them: 0 for the bytes of the response.
    private func file(of body: ReplayBody, _ imageKey: ImageKey) -> (Payload, duration: Int64) {
        let (object, content) = (imageKey.object, objects.diskRules.content)
        let format =
            ImageFormat(body.bytes.bytes).map(content.format) ?? objects.images.format(object, encodedAs: content)
        guard let format else { return (body.bytes, 0) }
        // What is only stored has not been decoded.
        let (image, decoding) = forms == nil || body.bitmap != nil ? (body, 0) : decodedForFile(body, imageKey)
        guard let forms, let bitmap = image.bitmap else {
            assumedFiles.insert(object)
            let encoding = forms == nil ? 0 : objects.images.encoding(object, content, .standard)
            return (body.bytes.resized(to: objects.written(object)), encoding)
        }
        let (encoded, duration) = MonotonicClock.timing {
            format == .jpeg ? try? ImageCodec.encodeJPEG(bitmap, quality: 100) : try? ImageCodec.encodePNG(bitmap)
        }
        // Encoding fails only for an image that is too large for its format.
        guard let encoded else { return (body.bytes, decoding + duration) }
        forms.add(encoded, of: body)
        return (encoded, decoding + duration)
    }

    private func decodedForFile(_ body: ReplayBody, _ imageKey: ImageKey) -> (ReplayBody, duration: Int64) {
        let answer = decode(body, imageKey, isFile: false)
        // The time of a decoding that was not made is in the cost of the request.
        guard let image = answer.body.map(ReplayBody.of), image.bitmap != nil else { return (body, 0) }
        return (image, answer.duration)
    }

    func decode(_ body: MeasuredBody, _ imageKey: ImageKey, isFile: Bool) -> Answer<MeasuredBody> {
        let (body, object) = (ReplayBody.of(body), imageKey.object)
        guard ImageFormat(body.bytes.bytes) != nil else { return decodeStandIn(for: object, body) }
        let (bitmap, duration) = MonotonicClock.timing { try? ImageCodec.decode(body.bytes.bytes) }
        guard let bitmap else { return Answer(found: .miss, body: nil, duration: duration) }
        forms?.add(bitmap, of: body, for: object, isGenerated: checks[object].isGenerated)
        return Answer(
            found: .hit, body: ReplayBody(bytes: body.bytes, bitmap: bitmap, isWrong: body.isWrong), duration: duration)
    }

    /// Decodes the image that stands for a generated body. The duration is 0 if the object is not an image, and the
    /// modelled one if no image could be made. The pixels are kept for a disk that encodes them again, and discarded
    /// otherwise: memory holds as many bytes.
    private func decodeStandIn(for object: Int, _ body: ReplayBody) -> Answer<MeasuredBody> {
        guard objects.images.isImage(object) else { return Answer(found: .hit, body: body, duration: 0) }
        if let image = standIns?[object] {
            let (bitmap, duration) = MonotonicClock.timing { try? ImageCodec.decode(image.bytes) }
            if let bitmap {
                forms?.addGenerated(object, body)
                let encodes =
                    disk != nil && objects.images.format(object, encodedAs: objects.diskRules.content) != nil
                if encodes { bitmap.mark(object) }
                let image =
                    encodes ? ReplayBody(bytes: body.bytes, bitmap: bitmap, isWrong: body.isWrong) : body
                return Answer(found: .hit, body: image, duration: duration)
            }
        }
        forms?.addModelled(object)
        return Answer(found: .hit, body: body, duration: objects.images.decoding(object, .standard))
    }

    /// The numbers of objects that were decoded; nil if images are not decoded.
    var decodedCounts: DecodedCounts? { forms?.counts }

    /// The number of objects that were written with the assumed size of an image that is encoded again.
    var assumedFileCount: Int { assumedFiles.count }

    func removeExpiredFromDisk(at time: Int64) throws -> Int64 {
        try MonotonicClock.timing { try disk?.removeExpired(at: time / 1_000) }.duration
    }

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

/// The failures that a tier holds, by the number of a key in it. Safe under concurrent use.
///
/// Failures that have left the tier stay here, without an effect.
private final class StoredFailures: Sendable {
    private let failures = Mutex<[Int: StoredFailure]>([:])

    subscript(number: Int) -> StoredFailure? {
        get { failures.withLock { $0[number] } }
        set { failures.withLock { $0[number] = newValue } }
    }
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

/// The body that the real tiers deliver: the bytes of the response or file, and the bitmap that was decoded from them.
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

struct RealJournals: TierJournals {
    let memory: MemoryTier
    let disk: DiskTier?

    func withMemoryJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        memory.withJournal(body)
    }

    func withDiskJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        disk?.withJournal(body)
    }
}
