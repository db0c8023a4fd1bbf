import CachePolicies
import CacheTiers
import SessionModel

/// The objects of a trace as one cache sees them: their keys in each tier, their costs and their sizes.
package struct ReplayObjects: Sendable {
    package let keys: [String]
    /// The images in the sizes of their views; nil if sizes have no effect on this cache, or are not recorded.
    package let renditions: Renditions?
    /// The sizes of all ``renditions`` if there are any, which begin with the objects; else of the objects alone.
    package let images: ImageSizes
    package let memoryRules: MemoryRules
    package let diskRules: DiskRules
    package let memoryKeys: [String]
    /// By rendition: the first one with the same key in memory, usually itself.
    private let memoryNames: [Int]
    /// By object: the first object with the same file, usually itself.
    private let diskNames: [Int]

    /// The bytes that the cost of an object in memory includes besides its own.
    private let overhead: Int

    /// The columns that the replays of a trace share.
    struct Shared {
        /// The first object with the key of each object; nil if they are not known yet.
        var objectsWithSameKey: [Int]?
        /// The images in the sizes of their views; nil if sizes have no effect.
        var renditions: Renditions?
        var columns = SharedColumns()
    }

    /// - Parameter objectsWithSameKey: The first object with the key of each object; nil if they are not known yet.
    package init(
        keys: [String], objectsWithSameKey: [Int]? = nil, images: ImageSizes, memory: MemoryRules, disk: DiskRules,
        hasDisk: Bool = true
    ) {
        self.init(
            keys: keys, images: images, memory: memory, disk: disk, hasDisk: hasDisk,
            sharing: Shared(objectsWithSameKey: objectsWithSameKey))
    }

    init(
        keys: [String], images: ImageSizes, memory: MemoryRules, disk: DiskRules, hasDisk: Bool, sharing shared: Shared
    ) {
        let (renditions, columns) = (shared.renditions, shared.columns)
        self.keys = keys
        self.renditions = renditions
        overhead = memory.cost == .file && hasDisk ? disk.format.overhead : 0
        let rendered = renditions.map(images.rendered) ?? images
        self.images = memory.countsFrames ? rendered.countingFrames() : rendered
        memoryRules = memory
        diskRules = disk
        let names: [Int]
        if memory.memoryKey == .url {
            memoryKeys = keys
            names = shared.objectsWithSameKey ?? Self.firstObjectsWithSameKey(keys)
        } else {
            (memoryKeys, names) = columns.memoryKeys(keys, memory.memoryKey)
        }
        memoryNames = renditions.map { $0.names(names, memory.sizes) } ?? names
        let layout = disk.format.layout
        diskNames =
            switch layout {
            case .hostPath where memory.memoryKey == .hostPath: names
            case _ where layout.sharesFiles: columns.objectsWithSameFile(keys, layout)
            default: Array(keys.indices)
            }
    }

    /// The number of images that a cache tells apart: below it are all ``ImageKey/rendition`` numbers.
    package var imageCount: Int { memoryNames.count }

    /// A number that cells with the same key in memory share.
    package func memoryNumber(_ cell: ImageKey) -> Int { memoryNames[Int(cell.rendition)] * 2 + Int(cell.variant) }

    /// A number that cells with the same key in the memory of encoded bytes share, whatever the sizes of their views.
    func encodedNumber(_ cell: ImageKey) -> Int { memoryNames[cell.object] * 2 + Int(cell.variant) }

    /// A number that cells with the same file share.
    package func diskNumber(_ cell: ImageKey) -> Int { diskNames[cell.object] * 2 + Int(cell.variant) }

    /// Whether the bitmap of a view serves no larger views, so that its size counts beside its key.
    var servesSmallerViewsAlone: Bool {
        renditions != nil && memoryRules.sizes == .largest && memoryRules.holds == .decoded
    }

    /// Whether a bitmap that is smaller than a view's bitmap serves the view all the same, by the rule `sizeTolerance`.
    /// The rendition of the bitmap is `held`.
    func nearlyFits(_ held: Int, _ imageKey: ImageKey) -> Bool {
        guard memoryRules.sizeTolerance > 0, let renditions else { return false }
        return renditions.difference(held, from: Int(imageKey.rendition)) <= memoryRules.sizeTolerance
    }

    /// The cost in memory of the answer to a failed fetch: the bytes of its body, where costs are passed.
    package func failureCost(_ failure: StoredFailure) -> Int {
        (memoryRules.cost == .none ? 0 : failure.bytes) + overhead
    }

    /// Returns an image in all sizes that are an entry of their own in memory.
    func allSizes(_ imageKey: ImageKey) -> [ImageKey] { renditions?.all(imageKey) ?? [imageKey] }

    func imageKey(number: Int) -> ImageKey { renditions?.imageKey(number: number) ?? ImageKey(number: number) }

    /// `decoded`: as ``ImageSizes/cost(_:_:decoded:)`` has it. `object` is an object, or the rendition of one.
    package func cost(_ object: Int, decoded: Int? = nil) -> Int {
        images.cost(object, memoryRules.cost, holding: memoryRules.holds, decoded: decoded) + overhead
    }

    /// The limit of the memory of encoded bytes, and that for single objects; nil if there is none.
    package var encodedMemory: (limits: Limits, entryRule: EntryRule)? {
        memoryRules.encodedMemory.map { (Limits(bytes: $0), EntryRule(limit: $0 / 8, oversize: .ignored)) }
    }

    /// `object` is an object, or the rendition of one.
    package func held(_ object: Int) -> Int { images.held(object, memoryRules.holds) }

    package func written(_ object: Int) -> Int { images.written(object, diskRules.content) }

    package static func firstObjectsWithSameKey(_ names: [String]) -> [Int] {
        var first: [String: Int] = [:]
        return names.enumerated().map { index, name in
            if let known = first[name] { return known }
            first[name] = index
            return index
        }
    }
}

/// The size of each object of a trace in its several forms, in bytes, indexed by `ObjectID`.
///
/// A trace records encoded bytes, and often pixel sizes and content types. What is missing is assumed, and counted:
/// - decoded: as `Trace.bitmapSizes(_:)` has it;
/// - encoded again, unless a replay encodes: as JPEG of quality 1.0 ``jpegFactor`` times, as PNG ``pngFactor`` times
///   the encoded bytes, and not more than the bitmap.
///
/// The last two factors are medians over 24 photographs, of full size and of a quarter, that were encoded as JPEG of
/// quality 80, decoded, and encoded again by libjpeg-turbo 2.1.5 (4:4:4) and libpng 1.6.39: from 2.4 to 6.6 times, and
/// from 4.4 to 10.8. The encoded size predicts them better than the number of pixels.
public struct ImageSizes: Sendable {
    public let encoded: [Int]
    /// The bitmap: with all frames if the cache counts them, and otherwise of one.
    public private(set) var decoded: [Int]
    /// The bitmap of one frame.
    package let frame: [Int]
    /// The frames of animated images; empty if no image has several.
    private let frames: [Int]
    /// Objects whose pixel size was assumed.
    public let assumedCount: Int
    private let contentTypes: [String?]
    /// The kinds of the images by their content types, so that a replay compares no texts.
    private let kinds: [Kind]
    private let areImages: [Bool]
    /// Whether each object belongs to the working set; empty if all do.
    private let isOnlyListed: [Bool]

    public static let jpegFactor = 4.7
    public static let pngFactor = 8.2

    private init(_ sizes: ImageSizes, _ renditions: Renditions) {
        encoded = renditions.objects.map { sizes.encoded[$0] }
        (decoded, frame) = (renditions.bitmaps, renditions.bitmaps)
        frames = sizes.frames.isEmpty ? [] : renditions.objects.map { sizes.frames[$0] }
        assumedCount = sizes.assumedCount
        contentTypes = renditions.objects.map { sizes.contentTypes[$0] }
        kinds = renditions.objects.map { sizes.kinds[$0] }
        areImages = renditions.objects.map { sizes.areImages[$0] }
        isOnlyListed = sizes.isOnlyListed.isEmpty ? [] : renditions.objects.map { sizes.isOnlyListed[$0] }
    }

    /// Returns the sizes by rendition. All renditions of an object share every form but the bitmap.
    func rendered(_ renditions: Renditions) -> ImageSizes { ImageSizes(self, renditions) }

    /// The upper limit in bytes of the bitmap of one frame in a trace, and of what counts for all frames of an image.
    private static let largestBitmap = 4 * Int(TraceLimits.pixels * TraceLimits.pixels)

    func countingFrames() -> ImageSizes {
        guard !frames.isEmpty else { return self }
        var counting = self
        counting.decoded = zip(frame, frames).map { max($0, min($0 * $1, Self.largestBitmap)) }
        return counting
    }

    public init(_ trace: Trace, sizes: ResolvedSizes) {
        encoded = sizes.bytes
        isOnlyListed = trace.onlyListedObjects()
        (frame, assumedCount) = trace.bitmapSizes(sizes.bytes)
        decoded = frame
        let isAnimated = trace.objects.contains { $0.frames ?? 1 > 1 }
        frames = isAnimated ? trace.objects.map { $0.frames ?? 1 } : []
        contentTypes = trace.objects.map(\.contentType)
        kinds = contentTypes.map { Kind($0?.lowercased() ?? "") }
        areImages = contentTypes.map { $0.map { $0.lowercased().hasPrefix("image/") } ?? true }
    }

    package func cost(_ object: Int, _ cost: ObjectCost, holding form: HeldForm, decoded: Int? = nil) -> Int {
        switch cost {
        case .held: form == .encoded ? encoded[object] : decoded ?? self.decoded[object]
        case .encoded, .file: encoded[object]
        case .decoded: decoded ?? self.decoded[object]
        case .encodedAndDecoded: encoded[object] + (decoded ?? self.decoded[object])
        case .none: 0
        }
    }

    package func held(_ object: Int, _ form: HeldForm) -> Int {
        switch form {
        case .encoded: encoded[object]
        case .decoded: decoded[object]
        }
    }

    /// Returns the sizes of the objects that belong to the working set: those that not only `list` events name.
    package func workingSet(_ sizes: [Int]) -> [Int] {
        isOnlyListed.isEmpty ? sizes : zip(sizes, isOnlyListed).filter { !$1 }.map(\.0)
    }

    /// The number of objects of the working set.
    package var objectCount: Int { isOnlyListed.isEmpty ? encoded.count : isOnlyListed.count { !$0 } }

    /// Whether the object is an image: false if the recording has another content type.
    package func isImage(_ object: Int) -> Bool { areImages[object] }

    /// The format of the codecs that an image needs. JPEG stands for unknown types, and for formats without a codec.
    package func format(_ object: Int) -> ImageFormat {
        switch kinds[object] {
        case .png: .png
        case .webp: .webp
        case .jpeg, .gif, .other: .jpeg
        }
    }

    /// The format in which a disk encodes an object again; nil if it writes the bytes of the response.
    package func format(_ object: Int, encodedAs content: DiskContent) -> ImageFormat? {
        guard isImage(object) else { return nil }
        if content == .jpegOrPNG, kinds[object] == .gif { return nil }
        return content.format(encoding: kinds[object] == .jpeg ? .jpeg : .png)
    }

    /// The number of objects of the working set that a disk encodes again.
    func encodedCount(_ content: DiskContent) -> Int {
        encoded.indices.count {
            format($0, encodedAs: content) != nil && (isOnlyListed.isEmpty || !isOnlyListed[$0])
        }
    }

    /// Returns the modelled duration of decoding an object, in nanoseconds; 0 if it is not an image.
    package func decoding(_ object: Int, _ costs: CostModel) -> Int64 {
        guard isImage(object) else { return 0 }
        return costs.decoding(contentTypes[object], pixels: frame[object] / 4, bytes: encoded[object])
    }

    /// Returns the modelled duration of decoding the file of an object, in nanoseconds.
    func decodingFile(_ object: Int, _ content: DiskContent, _ costs: CostModel) -> Int64 {
        guard let format = format(object, encodedAs: content) else { return decoding(object, costs) }
        return costs.decoding(format, pixels: frame[object] / 4, bytes: written(object, content))
    }

    /// Returns the modelled duration of encoding an image again for the disk, in nanoseconds; 0 if it is not.
    package func encoding(_ object: Int, _ content: DiskContent, _ costs: CostModel) -> Int64 {
        format(object, encodedAs: content).map { costs.encoding($0, pixels: frame[object] / 4) } ?? 0
    }

    /// The length of a file of the object, in bytes.
    package func written(_ object: Int, _ content: DiskContent) -> Int {
        switch format(object, encodedAs: content) {
        case nil: encoded[object]
        case .png where kinds[object] == .png: encoded[object]
        case .png: encodedAgain(object, Self.pngFactor)
        case .jpeg, .webp: encodedAgain(object, Self.jpegFactor)
        }
    }

    private enum Kind {
        case png, webp, gif
        /// JPEG, or unknown.
        case jpeg
        case other

        /// - Parameter type: A content type in lower case; empty if it is unknown.
        init(_ type: String) {
            self =
                type.hasPrefix("image/png")
                ? .png
                : type.hasPrefix("image/webp")
                    ? .webp
                    : type.hasPrefix("image/gif")
                        ? .gif : type.isEmpty || type.hasPrefix("image/jpeg") ? .jpeg : .other
        }
    }

    private func encodedAgain(_ object: Int, _ factor: Double) -> Int {
        max(encoded[object], Int(min(Double(encoded[object]) * factor, Double(frame[object]))))
    }
}
