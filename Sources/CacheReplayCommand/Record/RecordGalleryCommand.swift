import ArgumentParser
import Foundation
import TraceRecording

struct RecordGalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery",
        abstract: "Show a folder's images in a browser and record the session.",
        discussion: """
            Prints an address to open in a browser. The page has an endless feed, a grid
            whose thumbnails open full images, and a search. The trace records which images
            appear, disappear and are fetched, and how the page scrolls. It is written
            during the recording, and Ctrl-C ends it. Each browser has its own trace:
            FILE.jsonl, FILE-2.jsonl and so on. The button at the top right of the page
            records a memory warning. "End and replay" ends the visit, and opens a page like
            that of `play`, on which the session can be replayed with other caches.

            By default only this machine can open the address. --host 0.0.0.0 allows other
            devices on the network, such as a phone. The address then contains a secret,
            and requests without it are refused. The connection is plain HTTP without
            encryption, so anyone who can read the network traffic can see the images. The
            same devices can open the page of a replay, which has a secret of its own.

            The browser fetches an image again for each appearance, because the trace must
            contain every request that a cache could receive. With --browser-cache the
            browser caches images, and the trace contains only its remaining fetches.

            The time to first byte of a fetch begins at the end of the request's head and
            ends when the server hands the first byte to the network. The transfer time
            ends when the kernel has accepted the last byte.

            --latency adds a round trip to each response. --bandwidth limits each
            connection, and --link all connections together. --loss is the share of TCP
            segments that are lost. The data after a lost segment waits for its
            retransmission, which arrives one round trip later. Near the end of an image a
            timeout of 200 ms is added. Losses do not reduce the rate of the connection
            otherwise.

            Example: cachereplay record gallery ~/Pictures --host 0.0.0.0 --latency 80ms
            --bandwidth 4Mbps
            """)

    @Argument(help: "The folder with the images. Subfolders are included.", completion: .directory)
    var folder: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The trace to write, a new file. (default: named after the folder and the time)",
            valueName: "FILE"))
    var output: String?

    @Option(help: "The trace's title. (default: the folder's name)")
    var title: String?

    @Flag(help: "Write into the trace that a program operates the page, not a person.")
    var scripted = false

    @OptionGroup var server: ServerOptions

    @Option(help: "The round-trip time that delays each response, such as 80ms.", transform: NetworkOption.duration)
    var latency: Double?

    @Option(help: "The rate of each connection, such as 4Mbps or 500KB/s.", transform: NetworkOption.rate)
    var bandwidth: Double?

    @Option(
        help: "The rate of the link that all connections share, such as 8Mbps.", transform: NetworkOption.rate)
    var link: Double?

    @Option(help: "The number of images that the page loads at a time, from 1 to 6.")
    var connections = GalleryOptions.mostConnections

    @Option(help: "The share of lost TCP segments, such as 1%.", transform: NetworkOption.share)
    var loss: Double?

    @Option(help: "The seed of the feed's order and of the losses.")
    var seed: UInt64 = 1

    @Flag(help: "Allow the browser to cache images.")
    var browserCache = false

    enum Thumbnails: String, ExpressibleByArgument, CaseIterable { case on, off }

    @Option(help: "Whether vipsthumbnail creates thumbnails. Without them, full images are shown.")
    var thumbnails = Thumbnails.on

    @OptionGroup var printing: QuietOption

    func validate() throws {
        guard (1...GalleryOptions.mostConnections).contains(connections) else {
            throw ValidationError(
                "--connections is from 1 to \(GalleryOptions.mostConnections): browsers open no more to a server.")
        }
    }

    func run() throws {
        let images = try readImages()
        let replays = GalleryReplays(host: server.host, allowedHosts: server.allowedHosts, seed: seed)
        var options = try self.options()
        options.played = { path in replays.address(path) }
        let end = EndOfService(untilInputEnds: server.untilInputEnds)
        let gallery = try GalleryServer(images: images, options: options)
        let screen = GalleryScreen(gallery, host: server.host, quiet: printing.quiet)
        try screen.printAddress(images: images.count)
        screen.showProgress(until: end)
        try gallery.stopAndWait()
        replays.stopAndWait()
        try screen.printSummary()
    }

    private func readImages() throws -> [GalleryImage] {
        let found = try ImageFolder(folder)
        if !printing.quiet {
            for line in found.refused.prefix(10) { printToStandardError("\(folder): skipped: \(line)") }
            if found.refused.count > 10 { printToStandardError("\(folder): skipped: \(found.refused.count - 10) more") }
            if found.others > 0 { printToStandardError("\(folder): skipped \(found.others) files that are not images") }
        }
        guard thumbnails == .on else { return found.images }
        let maker = try ThumbnailMaker()
        let bar = ProgressBar(total: found.images.count, unit: "thumbnails", quiet: printing.quiet)
        let (images, broken) = try maker.thumbnails(of: found.images) { bar.advance(by: Double($0)) }
        bar.finish()
        for name in broken.prefix(10) where !printing.quiet {
            printToStandardError("\(folder): skipped: \(name) is damaged, or vipsthumbnail does not support it")
        }
        guard !images.isEmpty else {
            throw GalleryError(
                kind: .noImages,
                description:
                    """
                    \(folder): vipsthumbnail created no thumbnail of its \(broken.count) images. Either the images are \
                    damaged, or vipsthumbnail does not work here. Try --thumbnails off.
                    """
            )
        }
        return images
    }

    private func options() throws -> GalleryOptions {
        let name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
        var options = GalleryOptions(output: output ?? "\(name)-\(Date().stamp("yyyyMMdd-HHmmss")).jsonl")
        try checkNewFile(options.output)
        options.title = title ?? name
        options.isScripted = scripted
        options.recorder = "cachereplay gallery \(CacheReplay.version)"
        options.host = server.host
        options.port = server.port
        options.allowedHosts = server.allowedHosts
        options.seed = seed
        options.browserCache = browserCache
        options.connections = connections
        options.network.latency = .nanoseconds(Int64((latency ?? 0) * 1e9))
        options.network.bytesPerSecond = bandwidth
        options.network.linkBytesPerSecond = link
        options.network.loss = loss ?? 0
        options.network.seed = seed
        return options
    }
}

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a session from a browser, a phone or an app as a trace.",
        discussion: """
            An app is recorded by mitmproxy (https://mitmproxy.org) with an addon. Type
            these commands in the folder of CacheReplay's sources:

            python3 -m venv .venv && .venv/bin/pip install mitmproxy
            .venv/bin/mitmdump -s scripts/recording/mitmproxy_addon.py \\
                --listen-host 127.0.0.1 --mode reverse:https://images.example.com \\
                --set session=Results/app.jsonl

            Let the app ask http://127.0.0.1:8080 instead of its server. Ctrl-C ends the
            recording. Without --listen-host, other devices can connect. Without --mode,
            mitmproxy is the proxy of a device that trusts its certificate, and forwards
            HTTP/2 too. Each of these is one more --set:

              session_title=TEXT        the session's title
              session_thumbnails=TEXT   a text that the URLs of thumbnails contain
              session_all=true          every GET request, not only those for images
              session_strip_query=true  URLs without ?query, which can contain tokens
              session_bodies=FOLDER     bodies for `replay --bodies`, `origin --bodies`

            A proxy cannot see disappearing cells and scrolling, so the trace has neither.
            The app's own cache hides repeats: an image that it holds is not requested from
            the proxy, so the trace has its first request only. For a trace with repeats,
            switch the app's caches off while you record, or record in the app with
            SessionRecorder.

            Example: cachereplay record gallery ~/Pictures
            """,
        subcommands: [RecordGalleryCommand.self])
}
