import SessionModel

/// One modelled person: what is drawn once and holds for all visits.
struct Person {
    /// The number in the population, from 0.
    let number: Int
    let phone: Phone
    /// The factor on all pauses.
    let pace: Double
    let network: NetworkProfile
    /// The seed of everything else that is drawn for the person.
    let seed: UInt64

    init(_ model: PeopleModel, number: Int) {
        self.number = number
        var random = RandomStream(seed: model.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15, name: "person")
        pace = random.logNormal(median: 1, spread: model[.pauseBetweenPeople])
        let isIOS = random.chance(model[.iosShare])
        let hasLittleMemory = random.chance(model[.littleMemoryShare])
        phone =
            model.phone
            ?? Phone.all.first { ($0.system == .iOS) == isIOS && $0.hasLittleMemory == hasLittleMemory } ?? Phone.all[0]
        let firstByte = random.logNormal(median: model[.firstByte], spread: model[.firstByteBetweenPeople])
        let rate = random.logNormal(median: model[.rate] * 1e6 / 8, spread: model[.rateBetweenPeople])
        network =
            model.network
            ?? NetworkProfile(
                name: "of the person", firstByte: firstByte, firstByteSpread: model[.firstByteSpread],
                bandwidth: rate, bandwidthSpread: model[.rateSpread], stallChance: model[.stallChance],
                stall: 0.2 * model[.stall]...model[.stall])
        seed = random.next()
    }

    /// The pseudonym that traces of the person state.
    var name: String { "person-\(String(String(1_000_000 + number + 1).dropFirst(number < 9_999 ? 3 : 1)))" }

    func header(_ model: PeopleModel) -> TraceHeader {
        let changes = model.changed.map { ", \($0.facts.name) \(plainText(model[$0]))" }.joined()
        let network = model.network.map { ", network \($0.name)" } ?? ""
        let bound = model.requests.map { ", at most \($0) requests" } ?? ""
        var header = TraceHeader(
            title: "\(model.app.title) of \(name)",
            recorder: """
                cachereplay trace synthesize, model of people \(PeopleModel.version), app \(model.app.rawValue), \
                \(model.days) days, seed \(model.seed), \(phone.name)\(network)\(bound)\(changes)
                """,
            synthetic: true)
        header.user = name
        return header
    }
}

struct PersonPictures {
    let model: PeopleModel
    let person: Person
    /// The width and height of thumbnails in pixels.
    let thumbnail: Int

    private static let shapes = [(4, 3), (3, 4), (3, 2), (1, 1), (16, 9)]

    init(_ model: PeopleModel, _ person: Person) {
        self.model = model
        self.person = person
        thumbnail = Int(model.app == .chat ? model[.avatarPixels] : model[.thumbnailPixels])
    }

    private struct Picture {
        var bytes: Int
        var width: Int
        var height: Int
        /// The ending of the name, which is also the subtype of the content type but for JPEG.
        var format: String
        var isMissing: Bool
    }

    private func picture(_ number: Int, _ variant: Variant) -> Picture {
        var random = RandomStream(
            seed: person.seed &+ UInt64(number) &* 2 &+ UInt64(variant.rawValue), name: "picture")
        let draw = random.uniform()
        let (format, bits) =
            draw < model[.jpegShare]
            ? ("jpg", model[.bitsJPEG])
            : draw < model[.jpegShare] + model[.webpShare] ? ("webp", model[.bitsWebP]) : ("avif", model[.bitsAVIF])
        let isMissing = random.chance(model[.missing])
        guard variant == .full else {
            let pixels = Double(thumbnail * thumbnail)
            let bytes = random.logNormal(median: pixels * bits / 8, spread: model[.thumbnailSpread])
            return Picture(
                bytes: max(1, Int(bytes.rounded())), width: thumbnail, height: thumbnail, format: format,
                isMissing: isMissing)
        }
        let shape = Self.shapes[random.index(below: Self.shapes.count)]
        let most = model[.largestPicture] * 1e6 * bits / 8
        let bytes = min(most, random.logNormal(median: model[.pictureBytes], spread: model[.pictureSpread]))
        // As many pixels as these bytes have in the format.
        let unit = (bytes * 8 / bits / Double(shape.0 * shape.1)).squareRoot()
        func side(_ part: Int) -> Int { min(65_536, max(1, Int((unit * Double(part)).rounded()))) }
        return Picture(
            bytes: max(1, Int(bytes.rounded())), width: side(shape.0), height: side(shape.1), format: format,
            isMissing: isMissing)
    }

    func object(_ number: Int, _ variant: Variant) -> TraceObject {
        let picture = picture(number, variant)
        let folder = variant == .thumbnail ? "thumb" : "full"
        return TraceObject(
            key: "https://pictures.example/\(person.number + 1)/\(folder)/\(number).\(picture.format)",
            bytes: picture.bytes, contentType: "image/\(picture.format == "jpg" ? "jpeg" : picture.format)",
            pixelWidth: picture.width, pixelHeight: picture.height,
            headers: [HTTPField("cache-control", "public, max-age=604800")])
    }

    /// Returns the encoded bytes of an image, and whether it is missing on the server.
    func body(_ number: Int, _ variant: Variant) -> (bytes: Int, isMissing: Bool) {
        let picture = picture(number, variant)
        return (picture.bytes, picture.isMissing)
    }
}
