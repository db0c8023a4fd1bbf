import SessionModel

/// The pictures of a generated session: their URLs, sizes and popularity.
///
/// The properties of a picture depend only on the seed and its number, so that a longer trace shows the same pictures.
struct PictureCatalogue: PictureSource {
    /// The popularity of pictures, whose numbers are their ranks: 0 is the most popular.
    let popularity: ZipfSampler
    private let model: SynthesisModel
    private let seed: UInt64

    private static let shapes = [(4, 3), (3, 4), (3, 2), (1, 1), (16, 9)]

    init(_ model: SynthesisModel) {
        self.model = model
        popularity = ZipfSampler(exponent: model.exponent, count: model.pictures)
        var random = RandomStream(seed: model.seed, name: "catalogue")
        seed = random.next()
    }

    func object(_ picture: Int, _ variant: Variant) -> TraceObject {
        var random = random(picture, variant)
        let images = variant == .thumbnail ? model.thumbnails : model.fullImages
        let bytes = random.logNormal(median: images.bytes, spread: images.spread)
        let shape = variant == .thumbnail ? (1, 1) : Self.shapes[random.index(below: Self.shapes.count)]
        let longer = max(shape.0, shape.1)
        return TraceObject(
            key: "https://pictures.example/\(variant == .thumbnail ? "thumb" : "full")/\(picture).jpg",
            bytes: max(1, Int(bytes.rounded())), contentType: "image/jpeg",
            pixelWidth: max(1, images.pixels * shape.0 / longer), pixelHeight: max(1, images.pixels * shape.1 / longer),
            headers: [HTTPField("cache-control", "public, max-age=604800")])
    }

    func body(_ picture: Int, _ variant: Variant) -> (bytes: Int, isMissing: Bool) {
        var random = random(picture, variant)
        let images = variant == .thumbnail ? model.thumbnails : model.fullImages
        let bytes = max(1, Int(random.logNormal(median: images.bytes, spread: images.spread).rounded()))
        _ = random.next()
        return (bytes, model.missing > 0 && random.chance(model.missing))
    }

    private func random(_ picture: Int, _ variant: Variant) -> RandomStream {
        RandomStream(seed: seed &+ UInt64(picture) &* 2 &+ UInt64(variant.rawValue), name: "picture")
    }
}
