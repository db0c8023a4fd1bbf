import ArgumentParser
import Basics
import CachePolicies
import TraceSynthesis

/// What there is to see.
struct PictureOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(help: "How many pictures there are; each has a thumbnail and a full image.")
    var pictures = model.pictures

    @Option(
        help: "Zipf's exponent of what a feed shows, a search finds and a person opens; 0 makes all pictures alike.")
    var exponent = model.exponent

    @Option(
        help: ArgumentHelp(
            "The median of the thumbnails' encoded bytes (log-normal). (default: 26kB)", valueName: "size"),
        transform: bytes)
    var thumbnailBytes = model.thumbnails.bytes

    @Option(help: "The standard deviation of the logarithm of the thumbnails' bytes.")
    var thumbnailSpread = model.thumbnails.spread

    @Option(help: "Width and height of a thumbnail in pixels.")
    var thumbnailPixels = model.thumbnails.pixels

    @Option(
        help: ArgumentHelp(
            "The median of the full images' encoded bytes (log-normal). (default: 340kB)", valueName: "size"),
        transform: bytes)
    var fullBytes = model.fullImages.bytes

    @Option(help: "The standard deviation of the logarithm of the full images' bytes.")
    var fullSpread = model.fullImages.spread

    @Option(help: "The longer side of a full image in pixels.")
    var fullPixels = model.fullImages.pixels

    func apply(to model: inout SynthesisModel) {
        model.pictures = pictures
        model.exponent = exponent
        model.thumbnails = .init(bytes: thumbnailBytes, spread: thumbnailSpread, pixels: thumbnailPixels)
        model.fullImages = .init(bytes: fullBytes, spread: fullSpread, pixels: fullPixels)
    }
}

/// The list on the screen; lengths in points.
struct ListOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(help: "Cells side by side; by default 1 in a feed and a search, 3 in grids.")
    var columns: Int?

    @Option(help: "The height of a row; by default 480 in a feed, 96 in a search, 130 in grids.")
    var rowHeight: Double?

    @Option(help: "The height of what is in view.")
    var viewport = model.viewport

    @Option(help: "The width of what is in view: a page of the detail view.")
    var width = model.width

    @Option(help: "How far outside the viewport cells already appear.")
    var overscan = model.overscan

    @Option(help: "Rows prefetched ahead of the edge towards which the list moves; 0 for none.")
    var prefetchRows = model.prefetchRows

    @Option(help: "Points per second above which nothing is prefetched.")
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

/// How the person scrolls.
struct PersonOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp(
            """
            By what factor a list let go slows down each millisecond: normal (0.998), fast (0.99), or a number. \
            (default: normal)
            """,
            valueName: "rate"),
        transform: rate)
    var deceleration = model.deceleration

    @Option(help: "The median speed at which the finger lets go, in points per second (log-normal).")
    var flickSpeed = model.flickSpeed

    @Option(help: "The standard deviation of its logarithm.")
    var flickSpread = model.flickSpread

    @Option(
        help: ArgumentHelp("How long the finger moves the list before. (default: 180ms)", valueName: "time"),
        transform: seconds)
    var drag = model.drag

    @Option(
        help: ArgumentHelp("The median time between two gestures (log-normal). (default: 1.2s)", valueName: "time"),
        transform: seconds)
    var dwell = model.dwell

    @Option(help: "The standard deviation of its logarithm.")
    var dwellSpread = model.dwellSpread

    @Option(help: "How likely a person opens a picture between two gestures, from 0 to 1.")
    var openChance = model.openChance

    @Option(
        help: ArgumentHelp(
            "Time between scroll events while the list moves; 0s for changes of phase alone. (default: 100ms)",
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

/// Network and server.
struct NetworkOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp(
            """
            The network: \(NetworkProfile.all.map(\.name).joined(separator: ", ")). (default: lte)
            """, valueName: "name"),
        transform: profile)
    var network = model.network

    @Option(
        help: ArgumentHelp("Another median time to first byte than the network's.", valueName: "time"),
        transform: seconds)
    var firstByte: Double?

    @Option(
        help: ArgumentHelp("Another median of bytes per second, shared by the fetches in flight.", valueName: "size"),
        transform: bytes)
    var bandwidth: Double?

    @Option(help: "Connections at a time.")
    var connections = model.connections

    @Option(
        help: ArgumentHelp("Mean time between two spells without network. (default: never)", valueName: "time|never"),
        transform: sometimes)
    var offlineEvery: Double? = model.offlineEvery

    @Option(
        help: ArgumentHelp("The median length of such a spell. (default: 6s)", valueName: "time"), transform: seconds)
    var offlineLength = model.offlineLength

    @Option(help: "Share of images that are gone (404).")
    var missing = model.missing

    @Option(help: "Share of fetches that end in a server's error (500).")
    var serverErrors = model.serverErrors

    func apply(to model: inout SynthesisModel) {
        model.network = network
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

/// What the system does to the app.
struct SystemOptions: ParsableArguments {
    private static let model = SynthesisModel()

    @Option(
        help: ArgumentHelp("Mean time between memory warnings. (default: never)", valueName: "time|never"),
        transform: sometimes)
    var memoryWarningEvery: Double? = model.memoryWarningEvery

    @Option(
        help: ArgumentHelp("Mean time between visits to other apps. (default: never)", valueName: "time|never"),
        transform: sometimes)
    var backgroundEvery: Double? = model.backgroundEvery

    @Option(
        help: ArgumentHelp("The median time in the background (log-normal). (default: 40s)", valueName: "time"),
        transform: seconds)
    var backgroundLength = model.backgroundLength

    @Option(help: "How likely the system ends the app there, from 0 to 1.")
    var terminateChance = model.terminateChance

    @Option(
        help: ArgumentHelp("Time between the two visits of the session 'return'. (default: 1d)", valueName: "time"),
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

private func sometimes(_ text: String) throws -> Double? {
    text == "never" ? nil : try seconds(text)
}
