import ArgumentParser
import Foundation
import TraceRecording

struct RecordGalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery",
        abstract: "Show a folder's images in any browser, and record what a person does with them.",
        discussion: """
            Prints an address to open in a browser: an endless feed, a grid whose thumbnails open the full image, and \
            a search. What appears, \
            vanishes, scrolls and is fetched goes into a trace, as it happens; Ctrl-C ends the recording. Each browser \
            gets a trace of its own: \
            FILE.jsonl, FILE-2.jsonl and so on.

            Only this machine can open the address, unless --host says otherwise: --host 0.0.0.0 lets a phone on the \
            same network in. The \
            address then has a secret part, without which nothing is served. It is not encrypted, as nothing is over \
            plain HTTP: who can listen to \
            the network can see the images.

            Images are fetched anew for each appearance, since a recording is to hold what any cache would meet. With \
            --browser-cache the browser keeps \
            them as it likes, and only what it lacks is fetched, and recorded as fetched.

            A fetch's time to first byte counts from the end of the request's head until the first byte is handed to \
            the network; its transfer time \
            from there until the kernel has taken the last.

            --latency is a round trip, added to each response. --bandwidth holds for each connection. --loss is the \
            share of TCP segments that are \
            lost: what is behind a lost one waits for its repetition, which comes a round trip later, or, near the end \
            of an image, after \
            a timeout of 200 ms more. Losses do not slow the connection down otherwise.

            Example: cachereplay record gallery ~/Pictures --host 0.0.0.0 --latency 80ms --bandwidth 4Mbps
            """)

    @Argument(help: "The folder whose images are shown, those of its subfolders included.", completion: .directory)
    var folder: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The trace to write; it must not exist yet. (default: named after the folder and the time)",
            valueName: "FILE"))
    var output: String?

    @Option(help: "The trace's title. (default: the folder's name)")
    var title: String?

    @Option(help: "The address to listen at; 0.0.0.0 for every network that this machine is in.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen at; 0 for a free one.")
    var port = 0

    @Option(help: "A round trip to add to each response, such as 80ms.", transform: NetworkOption.duration)
    var latency: Double?

    @Option(help: "What a connection carries, such as 4Mbps or 500KB/s.", transform: NetworkOption.rate)
    var bandwidth: Double?

    @Option(help: "The share of TCP segments that are lost, such as 1%.", transform: NetworkOption.share)
    var loss: Double?

    @Option(help: "What the feed's order and the losses are drawn from.")
    var seed: UInt64 = 1

    @Flag(help: "Let the browser keep images.")
    var browserCache = false

    enum Thumbnails: String, ExpressibleByArgument, CaseIterable { case on, off }

    @Option(help: "Whether thumbnails are made (by vipsthumbnail); otherwise full images stand in for them.")
    var thumbnails = Thumbnails.on

    @Flag(name: .shortAndLong, help: "Print the address and nothing else.")
    var quiet = false

    @Flag(help: "Also end when standard input ends, as it does when the program that started this one is gone.")
    var untilInputEnds = false

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port \(port) does not exist. Choose one from 1 to 65535, or 0 for a free one.")
        }
    }

    func run() throws {
        do { try record() } catch let error as GalleryError {
            let statuses: [GalleryError.Kind: ExitStatus] = [
                .noFolder: .noInput, .noImages: .badData, .missingTool: .missingTool, .cannotWrite: .cannotCreate,
            ]
            throw CommandFailure(statuses[error.kind] ?? .ioError, error.description)
        } catch let error as LoopbackOriginError {
            throw CommandFailure(.ioError, error.description)
        }
    }

    private func record() throws {
        let images = try readImages()
        let options = try self.options()
        let end = EndOfService(untilInputEnds: untilInputEnds)
        let server = try GalleryServer(images: images, options: options)
        let screen = GalleryScreen(server, host: host, quiet: quiet)
        try screen.printAddress(images: images.count)
        screen.showProgress(until: end)
        try server.stopAndWait()
        try screen.printSummary()
    }

    private func readImages() throws -> [GalleryImage] {
        let found = try ImageFolder(folder)
        if !quiet {
            for line in found.refused.prefix(10) { printToStandardError("\(folder): skipped: \(line)") }
            if found.refused.count > 10 { printToStandardError("\(folder): skipped: \(found.refused.count - 10) more") }
            if found.others > 0 { printToStandardError("\(folder): skipped \(found.others) files that are no images") }
        }
        guard thumbnails == .on else { return found.images }
        let maker = try ThumbnailMaker()
        let bar = ProgressBar(total: found.images.count, unit: "thumbnails", quiet: quiet)
        let (images, broken) = try maker.thumbnails(of: found.images) { bar.advance(by: Double($0)) }
        bar.finish()
        for name in broken.prefix(10) where !quiet {
            printToStandardError("\(folder): skipped: \(name) is broken, or no thumbnail can be made of it")
        }
        guard !images.isEmpty else {
            throw GalleryError(
                kind: .noImages,
                description:
                    """
                    \(folder): of none of its \(broken.count) images a thumbnail can be made. They are broken, or \
                    vipsthumbnail does not work here: try --thumbnails off.
                    """
            )
        }
        return images
    }

    private func options() throws -> GalleryOptions {
        let name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
        var options = GalleryOptions(output: output ?? "\(name)-\(Self.stamp).jsonl")
        guard !FileManager.default.fileExists(atPath: options.output) else {
            throw CommandFailure(
                .cannotCreate,
                "\(options.output) exists already, and a recording cannot be made again; choose another name")
        }
        let place = URL(fileURLWithPath: options.output).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: place) else {
            throw CommandFailure(
                .cannotCreate, "\(options.output) cannot be written: \(place) is missing, or not yours to write into")
        }
        options.title = title ?? name
        options.recorder = "cachereplay gallery \(CacheReplay.version)"
        options.host = host
        options.port = port
        options.seed = seed
        options.browserCache = browserCache
        options.network.latency = .nanoseconds(Int64((latency ?? 0) * 1e9))
        options.network.bytesPerSecond = bandwidth
        options.network.loss = loss ?? 0
        options.network.seed = seed
        return options
    }

    private static var stamp: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyyMMdd-HHmmss"
        return format.string(from: Date())
    }
}
