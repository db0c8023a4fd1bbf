import Foundation
import SessionModel
import SessionRecorder
import TestSupport
import Testing

@Suite("Sizes of views in recordings")
struct ViewSizeTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Appearances and prefetches are read with the size that was recorded; calls without one are as before")
    func recorded() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        let size = TraceRecorder.ViewSize(width: 240, height: 180)
        recorder.cellAppeared("a", variant: .thumbnail, viewSize: size)
        recorder.cellDisappeared("a", variant: .thumbnail)
        recorder.prefetched("b", viewSize: .init(width: 1, height: 65_535))
        recorder.cellAppeared("b", viewSize: nil)
        recorder.cellAppeared("b", viewSize: .init(width: 0, height: 180))
        recorder.cellAppeared("a")
        recorder.prefetched("a", variant: .thumbnail)
        #expect(recorder.finish(timeout: 60))

        let events = try read(file).events
        #expect(
            events.map(\.action) == [
                .appear(0, .thumbnail), .disappear(0, .thumbnail), .prefetch(1, .full), .appear(1, .full),
                .appear(1, .full), .appear(0, .full), .prefetch(0, .thumbnail),
            ])
        #expect(
            events.map(\.viewSize) == [
                ViewSize(width: 240, height: 180), nil, ViewSize(width: 1, height: 65_535), nil, nil, nil, nil,
            ])
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains(#""e":"appear","o":0,"variant":"thumbnail","width":240,"height":180}"#))
        #expect(text.contains(#""e":"appear","o":0,"variant":"full"}"#))
    }

    @Test("A size in points has the pixels of the screen, rounded to the nearest")
    func points() {
        typealias Size = TraceRecorder.ViewSize
        #expect(Size(points: CGSize(width: 100, height: 50.5), scale: 3) == Size(width: 300, height: 152))
        #expect(Size(points: CGSize(width: 33.2, height: 0.5), scale: 1) == Size(width: 33, height: 1))
        #expect(Size(points: CGSize(width: 32_767.5, height: 1), scale: 2) == Size(width: 65_535, height: 2))
    }

    @Test(
        "A side that no view has is no size",
        arguments: [
            (0, 10), (10, 0), (-1, 10), (0.2, 10), (10, 65_536), (.infinity, 10), (10, .nan), (1e300, 1),
        ] as [(Double, Double)])
    func impossible(width: Double, height: Double) {
        #expect(TraceRecorder.ViewSize(points: CGSize(width: width, height: height), scale: 1) == nil)
    }

    @Test("Pixels from 1 to 65,535 are a size")
    func pixels() {
        #expect(TraceRecorder.ViewSize(width: 65_536, height: 1) == nil)
        #expect(TraceRecorder.ViewSize(width: 1, height: -1) == nil)
        let size = TraceRecorder.ViewSize(width: 65_535, height: 1)
        #expect(size?.width == 65_535)
        #expect(size?.height == 1)
    }
}
