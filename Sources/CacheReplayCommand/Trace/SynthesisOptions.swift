import ArgumentParser
import Basics
import CachePolicies
import TraceSynthesis

/// The pictures.
struct PictureOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(help: "The number of pictures; each has a thumbnail and a full image.")
    var pictures = model.pictures

    @Option(
        help: "Zipf's exponent of popularity in feeds, in searches and of opened pictures; 0 for none.")
    var exponent = model.exponent

    @Option(
        help: ArgumentHelp(
            "The median encoded bytes of thumbnails (log-normal). (default: 26kB)", valueName: "size"),
        transform: bytes)
    var thumbnailBytes = model.thumbnails.bytes

    @Option(help: "The standard deviation of the logarithm of the bytes of thumbnails.")
    var thumbnailSpread = model.thumbnails.spread

    @Option(help: "The width and height of thumbnails in pixels.")
    var thumbnailPixels = model.thumbnails.pixels

    @Option(
        help: ArgumentHelp(
            "The median encoded bytes of full images (log-normal). (default: 340kB)", valueName: "size"),
        transform: bytes)
    var fullBytes = model.fullImages.bytes

    @Option(help: "The standard deviation of the logarithm of the bytes of full images.")
    var fullSpread = model.fullImages.spread

    @Option(help: "The longer side of full images in pixels.")
    var fullPixels = model.fullImages.pixels

    func apply(to model: inout SynthesisModel) {
        model.pictures = pictures
        model.exponent = exponent
        model.thumbnails = .init(bytes: thumbnailBytes, spread: thumbnailSpread, pixels: thumbnailPixels)
        model.fullImages = .init(bytes: fullBytes, spread: fullSpread, pixels: fullPixels)
    }
}

/// The list on the screen. Lengths are in points.
struct ListOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(help: "The number of columns. By default 1 in a feed and a search, 3 in grids.")
    var columns: Int?

    @Option(help: "The height of a row. By default 480 in a feed, 96 in a search, 130 in grids.")
    var rowHeight: Double?

    @Option(help: "The height of the visible part of the list.")
    var viewport = model.viewport

    @Option(help: "The width of the visible part, which is the length of a page of the detail view.")
    var width = model.width

    @Option(help: "The distance outside of the viewport at which view cells already appear.")
    var overscan = model.overscan

    @Option(help: "The number of rows that are prefetched in the direction of movement; 0 for none.")
    var prefetchRows = model.prefetchRows

    @Option(help: "The speed in points per second above which nothing is prefetched.")
    var prefetchSpeed = model.prefetchSpeed

    func apply(to model: inout SynthesisModel) {
        model.columns = columns
        model.rowHeight = rowHeight
        model.viewport = viewport
        model.width = width
        model.overscan = overscan
        model.prefetchRows = prefetchRows
        model.prefetchSpeed = prefetchSpeed
    }
}

/// The gestures of the person.
struct PersonOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp(
            """
            The factor by which a released list slows down each millisecond: normal (0.998), fast (0.99), or a \
            number. (default: normal)
            """,
            valueName: "rate"),
        transform: rate)
    var deceleration = model.deceleration

    @Option(help: "The median speed at which the finger releases the list, in points per second (log-normal).")
    var flickSpeed = model.flickSpeed

    @Option(help: "The standard deviation of the logarithm of the speed.")
    var flickSpread = model.flickSpread

    @Option(
        help: ArgumentHelp("The time of the drag before the release. (default: 180ms)", valueName: "time"),
        transform: seconds)
    var drag = model.drag

    @Option(
        help: ArgumentHelp("The median time between two gestures (log-normal). (default: 1.2s)", valueName: "time"),
        transform: seconds)
    var dwell = model.dwell

    @Option(help: "The standard deviation of the logarithm of that time.")
    var dwellSpread = model.dwellSpread

    @Option(help: "The probability that the person opens a picture between two gestures, from 0 to 1.")
    var openChance = model.openChance

    @Option(
        help: ArgumentHelp(
            "The time between scroll events while the list moves; 0s for changes of phase only. (default: 100ms)",
            valueName: "time"),
        transform: seconds)
    var scrollInterval = model.scrollInterval

    func apply(to model: inout SynthesisModel) {
        model.deceleration = deceleration
        model.flickSpeed = flickSpeed
        model.flickSpread = flickSpread
        model.drag = drag
        model.dwell = dwell
        model.dwellSpread = dwellSpread
        model.openChance = openChance
        model.scrollInterval = scrollInterval
    }

    private static func rate(_ text: String) throws -> Double {
        switch text {
        case "normal": return ScrollPhysics.normalRate
        case "fast": return ScrollPhysics.fastRate
        default:
            guard let rate = Double(text) else {
                throw ValidationError("expected normal, fast, or a number such as 0.995")
            }
            return rate
        }
    }
}

/// The network and the server.
struct NetworkOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp(
            """
            The network: \(NetworkProfile.all.map(\.name).joined(separator: ", ")). Modelled people have one each. \
            (default: lte)
            """, valueName: "name"),
        transform: profile)
    var network: NetworkProfile?

    @Option(
        help: ArgumentHelp("The median time to the first byte, instead of that of the network.", valueName: "time"),
        transform: seconds)
    var firstByte: Double?

    @Option(
        help: ArgumentHelp("The median bytes per second, which replaces that of the network.", valueName: "size"),
        transform: bytes)
    var bandwidth: Double?

    @Option(help: "The number of connections.")
    var connections = model.connections

    @Option(
        help: ArgumentHelp("The mean time between two outages. (default: never)", valueName: "time|never"),
        transform: intervalOrNever)
    var offlineEvery: Double? = model.offlineEvery

    @Option(
        help: ArgumentHelp("The median length of an outage. (default: 6s)", valueName: "time"), transform: seconds)
    var offlineLength = model.offlineLength

    @Option(help: "The share of images that are missing on the server (404).")
    var missing = model.missing

    @Option(help: "The share of fetches that fail with a server error (500).")
    var serverErrors = model.serverErrors

    func apply(to model: inout SynthesisModel) {
        if let network { model.network = network }
        if let firstByte { model.network.firstByte = firstByte }
        if let bandwidth { model.network.bandwidth = bandwidth }
        model.connections = connections
        model.offlineEvery = offlineEvery
        model.offlineLength = offlineLength
        model.missing = missing
        model.serverErrors = serverErrors
    }

    private static func profile(_ text: String) throws -> NetworkProfile {
        guard let profile = NetworkProfile.all.first(where: { $0.name == text.lowercased() }) else {
            throw ValidationError("expected one of: \(NetworkProfile.all.map(\.name).joined(separator: ", "))")
        }
        return profile
    }
}

/// The events of the system.
struct SystemOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp("The mean time between memory warnings. (default: never)", valueName: "time|never"),
        transform: intervalOrNever)
    var memoryWarningEvery: Double? = model.memoryWarningEvery

    @Option(
        help: ArgumentHelp("The mean time between visits to other apps. (default: never)", valueName: "time|never"),
        transform: intervalOrNever)
    var backgroundEvery: Double? = model.backgroundEvery

    @Option(
        help: ArgumentHelp("The median time in the background (log-normal). (default: 40s)", valueName: "time"),
        transform: seconds)
    var backgroundLength = model.backgroundLength

    @Option(help: "The probability that the system ends the app in the background, from 0 to 1.")
    var terminateChance = model.terminateChance

    @Option(
        help: ArgumentHelp("The time between the two visits of the session 'return'. (default: 1d)", valueName: "time"),
        transform: seconds)
    var away = model.away

    func apply(to model: inout SynthesisModel) {
        model.memoryWarningEvery = memoryWarningEvery
        model.backgroundEvery = backgroundEvery
        model.backgroundLength = backgroundLength
        model.terminateChance = terminateChance
        model.away = away
    }
}

private func bytes(_ text: String) throws -> Double {
    guard case .bytes(let bytes) = try Size(text) else {
        throw ValidationError("expected a size in bytes such as 26kB")
    }
    return Double(bytes)
}

private func seconds(_ text: String) throws -> Double {
    Double(try TimeSpan.microseconds(text)) / 1e6
}

private func intervalOrNever(_ text: String) throws -> Double? {
    text == "never" ? nil : try seconds(text)
}
