import Foundation

/// A small file system in memory, mounted over a folder, for tests with a full disk.
package struct SmallDisk {
    package let path: String

    package init(_ path: String, kilobytes: Int) throws {
        self.path = path
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path]) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Unmounts lazily, because a process that another test starts holds all open files until it runs its program.
    package func unmount() { _ = Self.run("umount", ["-l", path]) }

    /// Whether file systems can be mounted: only by root, and in few containers.
    package static let isAvailable: Bool = {
        guard getuid() == 0, let folder = try? TemporaryFolder(), let disk = try? SmallDisk(folder.path, kilobytes: 16)
        else {
            return false
        }
        disk.unmount()
        return true
    }()

    private static func run(_ tool: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
