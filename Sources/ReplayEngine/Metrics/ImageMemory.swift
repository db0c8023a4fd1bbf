import CacheTiers

/// The bytes that images take up in an app at once: in the cache's memory, in visible cells, in bodies in transfer, and
/// in decoding. For modelled timing.
///
/// The pipeline notes the beginning and the end of transfers and decoding. The tiers know the held and the displayed
/// objects, and count an object that is both once; see ``ReplayLanes/imageBytes``.
package struct ImageMemory {
    private let images: ImageSizes
    private let content: DiskContent
    /// The bytes of transfers and of decoding.
    private var working = 0
    private var mostBytes = 0
    /// By ``ImageKey/number``: the number of visible cells that display the image.
    private var displaying: [Int32]
    private var visible = 0
    private var mostVisible = 0

    init(_ images: ImageSizes, disk: DiskRules) {
        self.images = images
        content = disk.content
        displaying = Array(repeating: 0, count: images.encoded.count * 2)
    }

    /// The most bytes at once.
    ///
    /// nil if more cells are visible at a time than on a screen, ``Film/largestScreen``: such a trace does not record
    /// when cells vanish.
    var peak: Int64? { mostVisible > Film.largestScreen ? nil : Int64(mostBytes) }

    /// Adds a transfer, or an image that is being decoded.
    mutating func begin(_ bytes: Int) { working += bytes }

    /// Removes the bytes that ``begin(_:)`` has added.
    mutating func end(_ bytes: Int) { working -= bytes }

    /// Ends all work: the app was relaunched.
    mutating func endAll() { working = 0 }

    /// Notes the level.
    mutating func note(_ bytes: Int) { mostBytes = max(mostBytes, bytes + working) }

    mutating func appeared() {
        visible += 1
        mostVisible = max(mostVisible, visible)
    }

    /// Counts a cell that displays an image; returns whether it is the first one.
    mutating func displays(_ imageKey: ImageKey) -> Bool {
        displaying[imageKey.number] += 1
        return displaying[imageKey.number] == 1
    }

    mutating func vanished() { visible -= 1 }

    /// Counts a cell that no longer displays an image; returns whether it was the last one.
    mutating func stopsDisplaying(_ imageKey: ImageKey) -> Bool {
        displaying[imageKey.number] -= 1
        return displaying[imageKey.number] == 0
    }

    /// The bytes of the body that a fetch receives.
    func transfer(_ imageKey: ImageKey, _ sample: NetworkModel.Sample) -> Int {
        sample.bodyBytes(ofObject: images.encoded[imageKey.object])
    }

    func body(_ imageKey: ImageKey) -> Int { images.encoded[imageKey.object] }

    package func file(_ imageKey: ImageKey) -> Int {
        content == .original ? images.encoded[imageKey.object] : images.written(imageKey.object, content)
    }

    /// The bytes of the bitmap that a decoder writes; 0 for what is not an image.
    func bitmap(_ imageKey: ImageKey) -> Int {
        images.isImage(imageKey.object) ? images.decoded[Int(imageKey.rendition)] : 0
    }
}
