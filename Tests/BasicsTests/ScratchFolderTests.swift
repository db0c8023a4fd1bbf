import Basics
import Foundation
import TestSupport
import Testing

@Suite("Scratch folders") struct ScratchFolderTests {
    private let parent: TemporaryFolder

    init() throws { parent = try TemporaryFolder() }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("Each has a name of its own, with the prefix and the id of the process") func names() throws {
        let folders = try (0..<3).map { _ in try ScratchFolder(in: parent.path, prefix: ".work") }
        // An instance that is no longer used can be released, which removes its folder.
        defer { withExtendedLifetime(folders) {} }
        let start = "\(parent.path)/.work-\(getpid())-"
        #expect(Set(folders.map(\.path)).count == 3)
        #expect(folders.allSatisfy { $0.path.hasPrefix(start) && Int($0.path.dropFirst(start.count)) != nil })
        #expect(folders.allSatisfy { exists($0.path) })
        let facts = try FileManager.default.attributesOfItem(atPath: folders[0].path)
        #expect(facts[.posixPermissions] as? Int == 0o700)
    }

    @Test("A name that exists is passed over") func takenName() throws {
        let first = try ScratchFolder(in: parent.path, prefix: "work")
        defer { withExtendedLifetime(first) {} }
        let start = "\(parent.path)/work-\(getpid())-"
        let number = try #require(Int(first.path.dropFirst(start.count)))
        // Other tests take numbers at the same time: the next hundred exist.
        for next in number + 1...number + 100 {
            try FileManager.default.createDirectory(atPath: start + "\(next)", withIntermediateDirectories: false)
        }
        let second = try ScratchFolder(in: parent.path, prefix: "work")
        #expect(try #require(Int(second.path.dropFirst(start.count))) > number + 100)
    }

    @Test("A missing parent is created; one that cannot be created is an error") func parents() throws {
        let deep = try ScratchFolder(in: parent.path + "/a/b", prefix: "work")
        defer { withExtendedLifetime(deep) {} }
        #expect(exists(deep.path))
        try parent.file("file", "")
        #expect {
            try ScratchFolder(in: parent.path + "/file", prefix: "work")
        } throws: { error in
            (error as? FileError)?.kind == .cannotCreate && "\(error)".contains("Not a directory")
                && "\(error)".contains("choose a folder that you may write to")
        }
    }

    @Test("Removal needs no free descriptor") func removalWithoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            let parent = try TemporaryFolder()
            let scratch = try ScratchFolder(in: parent.path, prefix: "work")
            try FileManager.default.createDirectory(atPath: scratch.path + "/a/b", withIntermediateDirectories: true)
            for name in ["file", "a/file", "a/b/file"] {
                try Data("x".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/\(name)"))
            }
            while open("/dev/null", O_RDONLY) >= 0 {}
            #expect(errno == EMFILE)
            scratch.remove()
            #expect(access(scratch.path, F_OK) != 0)
        }
    }

    @Test("A folder is an error without a free descriptor for its removal, and none is left")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let parent = try TemporaryFolder()
            while open("/dev/null", O_RDONLY) >= 0 {}
            #expect {
                try ScratchFolder(in: parent.path, prefix: "work")
            } throws: {
                "\($0)".contains("Too many open files")
            }
            #expect(rmdir(parent.path) == 0)
        }
    }

    @Test("Removal includes what is inside, and follows no symbolic link") func removal() throws {
        let outside = try parent.file("outside", "kept")
        var scratch: ScratchFolder? = try ScratchFolder(in: parent.path, prefix: "work")
        let path = try #require(scratch?.path)
        try FileManager.default.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true)
        for name in ["file", "a/file", "a/b/.hidden"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        try FileManager.default.createSymbolicLink(atPath: path + "/a/file-link", withDestinationPath: outside)
        try FileManager.default.createSymbolicLink(atPath: path + "/folder-link", withDestinationPath: parent.path)
        scratch?.remove()
        scratch?.remove()
        #expect(!exists(path))
        #expect(exists(outside))
        scratch = try ScratchFolder(in: parent.path, prefix: "work")
        let second = try #require(scratch?.path)
        scratch = nil
        #expect(!exists(second))
    }

    @Test("Only folders of processes that no longer run are abandoned") func abandoned() throws {
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        ended.arguments = ["true"]
        try ended.run()
        ended.waitUntilExit()
        let number = ended.processIdentifier
        let abandoned = ["work-\(number)-0", "work-\(number)-12"]
        let kept = [
            "work-\(getpid())-99999", "work-1-0", "work-\(number)", "work-\(number)-x", "work-0-0", "work--1-0",
            "work-\(number)-0-1", "other-\(number)-0", "work",
        ]
        for name in abandoned + kept {
            try FileManager.default.createDirectory(
                atPath: "\(parent.path)/\(name)/inner", withIntermediateDirectories: true)
        }
        ScratchFolder.removeAbandoned(in: parent.path, prefix: "work")
        #expect(abandoned.allSatisfy { !exists("\(parent.path)/\($0)") })
        #expect(kept.allSatisfy { exists("\(parent.path)/\($0)/inner") })
        ScratchFolder.removeAbandoned(in: parent.path + "/missing", prefix: "work")
    }
}
