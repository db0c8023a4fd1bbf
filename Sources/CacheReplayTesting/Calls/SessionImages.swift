import ReplayEngine

/// The images of a session, made when they are first stored.
final class SessionImages {
    private let facts: [(bitmap: Int, encoded: Int)]
    private let names: KeyNames
    private var made: [SessionImage?]

    /// - Parameter facts: By object: the bytes of the bitmap, and of the response.
    init(_ facts: [(bitmap: Int, encoded: Int)], _ names: KeyNames) {
        self.facts = facts
        self.names = names
        made = Array(repeating: nil, count: facts.count * 2)
    }

    func image(_ key: OwnCacheKey) -> SessionImage {
        let number = key.number
        if let image = made[number] { return image }
        let facts = facts[key.object]
        let image = SessionImage(
            id: SessionImage.ID(number: number), key: names.text(number), bitmapBytes: facts.bitmap,
            encodedBytes: facts.encoded)
        made[number] = image
        return image
    }
}

extension OwnCacheKey {
    /// As ``SessionImage/ID/number``.
    var number: Int { object * 2 + (isThumbnail ? 0 : 1) }

    init(_ id: SessionImage.ID) { self.init(object: id.number / 2, isThumbnail: id.number % 2 == 0) }
}
