import Foundation
import TestSupport
import Testing

@testable import TraceRecording

@Suite("Image headers") struct ImageHeaderTests {
    private func jpeg(orientation: UInt8?) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        if let orientation {
            let tiff: [UInt8] = [
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
            ]
            let segment = Array("Exif\0\0".utf8) + tiff
            bytes += [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment
        }
        return bytes + [0xFF, 0xC0, 0, 17, 8, 0x01, 0x2C, 0x01, 0x90, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
    }

    @Test("Type and size come from the bytes: 400 by 300 in each format")
    func formats() {
        #expect(ImageHeader(jpeg(orientation: nil)).map { [$0.width, $0.height] } == [400, 300])
        #expect(ImageHeader(testPNG(width: 400, height: 300, shade: 1)).map { [$0.width, $0.height] } == [400, 300])
        let gif = Array("GIF89a".utf8) + [0x90, 0x01, 0x2C, 0x01, 0, 0, 0]
        #expect(
            ImageHeader(gif) == ImageHeader(gif) && ImageHeader(gif)?.width == 400
                && ImageHeader(gif)?.contentType == "image/gif")
        let extended = Array("RIFF0000WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0x8F, 0x01, 0, 0x2B, 0x01, 0]
        #expect(ImageHeader(extended).map { [$0.width, $0.height] } == [400, 300])
        let avif =
            bigEndian(24) + Array("ftypavif".utf8) + [UInt8](repeating: 0, count: 16) + Array("ispe".utf8)
            + bigEndian(0) + bigEndian(400) + bigEndian(300) + [0]
        #expect(ImageHeader(avif).map { [$0.width, $0.height] } == [400, 300])
    }

    @Test("A photograph's orientation applies to its size", arguments: [1: 400, 3: 400, 6: 300, 8: 300])
    func orientation(value: Int, width: Int) {
        #expect(ImageHeader(jpeg(orientation: UInt8(value)))?.width == width)
    }

    @Test("Truncated headers have no size, other files are not images, and nothing crashes")
    func broken() {
        let whole = [jpeg(orientation: 6), testPNG(width: 4, height: 4, shade: 1)]
        for bytes in whole {
            for count in 0..<min(bytes.count, 80) { _ = ImageHeader(Array(bytes[..<count])) }
            for place in 0..<min(bytes.count, 60) {
                var bytes = bytes
                bytes[place] = 0xFF
                _ = ImageHeader(bytes)
            }
        }
        #expect(ImageHeader(Array("<svg onload=alert(1)>".utf8)) == nil)
        #expect(ImageHeader(Array("<!doctype html>".utf8)) == nil)
        #expect(ImageHeader([]) == nil)
        #expect(ImageHeader([0xFF, 0xD8, 0xFF])?.width == nil)
    }

    @Test("A missing folder and a folder without images are different errors")
    func folders() throws {
        let folder = try GalleryFolder()
        #expect(throws: GalleryError.self) { try ImageFolder(folder.root.path + "/nowhere") }
        try folder.write("image.jpg", Array("no image at all".utf8))
        let error = #expect(throws: GalleryError.self) { try ImageFolder(folder.images.path) }
        #expect(error?.kind == .noImages)
    }
}

@Suite(
    "Thumbnails",
    .enabled(
        if: (try? ThumbnailMaker(cacheFolder: FileManager.default.temporaryDirectory)) != nil,
        "vipsthumbnail is not installed"))
struct ThumbnailTests {
    @Test(
        "Square, of the stated size, created once; names with libvips' options are safe; damaged images are omitted"
    )
    func makes() throws {
        let folder = try GalleryFolder()
        try folder.write("kite[page=2].png", testPNG(width: 800, height: 500, shade: 9))
        try folder.write("boat.png", testPNG(width: 400, height: 900, shade: 90))
        try folder.write(
            "-broken.png",
            Array(testPNG(width: 400, height: 900, shade: 90)[..<8]) + [UInt8](repeating: 0x41, count: 90))
        let maker = try ThumbnailMaker(cacheFolder: folder.root.appendingPathComponent("cache"))
        let images = try ImageFolder(folder.images.path).images
        let (made, broken) = try maker.thumbnails(of: images)
        #expect(broken == ["-broken.png"])
        #expect(made.map(\.name) == ["boat.png", "kite[page=2].png"])
        for image in made {
            let thumbnail = try #require(image.thumbnail)
            #expect(
                thumbnail.header.width == 360 && thumbnail.header.height == 360
                    && thumbnail.header.contentType == "image/jpeg")
            #expect(thumbnail.bytes > 500)
        }
        // An existing thumbnail is not created again: it is older than the second call.
        let path = try #require(made.first?.thumbnail?.path)
        let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        _ = try maker.thumbnails(of: images)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: maker.folder.path).count == 2)
        // What a recorder left that was killed at work is removed: no process has this number.
        let left = maker.folder.appendingPathComponent("\(ThumbnailMaker.workPrefix)-\(pid_t.max)-7/link")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try folder.write("crow.png", testPNG(width: 400, height: 400, shade: 50))
        _ = try maker.thumbnails(of: try ImageFolder(folder.images.path).images)
        let names = try FileManager.default.contentsOfDirectory(atPath: maker.folder.path)
        #expect(names.count == 3 && names.allSatisfy { $0.hasSuffix(".jpg") }, "\(names)")
    }

    @Test("Without the command, the error names what to install, and the option to omit thumbnails")
    func missingTool() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: GalleryError.self) {
            try ThumbnailMaker(cacheFolder: folder.url("cache"), path: folder.path)
        }
        #expect(error?.kind == .missingTool)
        #expect(
            error?.description.contains("libvips-tools") == true
                && error?.description.contains("--thumbnails off") == true)
    }
}
