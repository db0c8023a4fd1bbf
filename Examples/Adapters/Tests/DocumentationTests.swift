import CacheTraces
import Foundation
import SessionModel
import SessionRecorder
import TestSupport
import Testing

// The code of the page, so that it is compiled. The declarations below replace UIKit, and Kingfisher's extensions of
// it.

private let images = KingfisherRecorder(
    TraceRecorder(file: FileManager.default.temporaryDirectory.appendingPathComponent("feed.jsonl")))

extension FeedController: UITableViewDelegate, UITableViewDataSourcePrefetching {
    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        guard let cell = cell as? PhotoCell else { return }
        cell.source = .network(photos[indexPath.row])
        images.appeared(cell.source, variant: .thumbnail)
        cell.photoView.kf.setImage(with: cell.source) { images.loaded($0, variant: .thumbnail) }
    }

    func tableView(_ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        guard let cell = cell as? PhotoCell else { return }
        cell.photoView.kf.cancelDownloadTask()
        images.disappeared(cell.source, variant: .thumbnail)
    }

    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
        for path in indexPaths { images.prefetched(.network(photos[path.row]), variant: .thumbnail) }
    }
}

@MainActor class UITableView {}
@MainActor class UITableViewCell {}
@MainActor protocol UITableViewDelegate {}
@MainActor protocol UITableViewDataSourcePrefetching {}
@MainActor class UIImageView { let kf = KingfisherWrapper() }
@MainActor struct KingfisherWrapper {
    func setImage(
        with source: Source?,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil
    ) {}
    func cancelDownloadTask() {}
}
@MainActor class PhotoCell: UITableViewCell {
    var source = Source.network(URL(fileURLWithPath: "/"))
    let photoView = UIImageView()
}
@MainActor class FeedController { var photos: [URL] = [] }
extension IndexPath { fileprivate var row: Int { self[1] } }

@Suite("The page about image libraries")
struct DocumentationTests {
    private static let adapters = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.adapters.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("Its code compiles: this file contains the same text")
    func code() throws {
        let page = try text("../../Sources/SessionRecorder/SessionRecorder.docc/LibraryAdapters.md")
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 1)
        let compiled = try text("Tests/DocumentationTests.swift")
        for block in blocks { #expect(compiled.contains(block), "not compiled: \(block)") }
    }

    @Test("The lines in the comment of CoilRecorder.kt are a session")
    func coil() throws {
        let folder = try TemporaryFolder()
        let lines = try text("CoilRecorder.kt").split(separator: "\n").filter { $0.hasPrefix("//     {") }
        let file = try folder.file("feed.jsonl", lines.map { $0.dropFirst(7) + "\n" }.joined())
        let reading = try TraceReading(contentsOf: file)
        #expect(reading.warnings == [])
        #expect(reading.trace.header.recorder == "CoilRecorder 1")
        #expect(reading.trace.objects.map(\.key) == ["https://a.example/1.jpg"])
        #expect(
            reading.trace.events.map(\.action) == [
                .appear(0, .full), .fetch(0, Fetch(timeToFirstByte: 350_000, transferTime: 0)),
                .served(0, .full, .network), .cost(0, .full, bytes: 1_228_800), .disappear(0, .full), .background,
            ])
    }
}
