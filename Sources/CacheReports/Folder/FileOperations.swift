import Foundation

extension ResultsFolder {
    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Makes a folder, with those above it, and makes sure that files can be made in it.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder cannot be created; name another with --output, in a place you may write to")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw ResultsError(.cannotCreate, file: path, "the folder cannot be written to; name another with --output")
        }
    }

    /// Names in a folder, sorted.
    static func list(_ path: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw ResultsError(.ioError, file: path, "the folder cannot be listed; check that you may read it")
        }
    }

    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw ResultsError(.ioError, file: path, "cannot be removed: \(String(cString: strerror(errno)))")
        }
    }
}
