import Foundation
import Synchronization

@testable import CacheTiers
@testable import MeasuredTiers

/// Records the changes that a disk tier makes to its files, and rebuilds the folders that a loss of power could leave:
/// without a later part of the changes, without the bytes of files that were not synchronized, and with a change
/// missing that later ones follow.
final class RecordedCalls: FileFaults {
    enum Change {
        case makeFolder(String)
        case create(String)
        case write(String, [UInt8])
        case setDates(String, modified: Date)
        case rename(String, to: String)
        case remove(String)
        /// Before a loss of power, everything of this file or folder is on the disk.
        case synchronize(String)
    }

    private struct State {
        var paths: [Int32: String] = [:]
        var changes: [Change] = []

        func path(_ folder: Int32, _ path: UnsafePointer<CChar>) -> String {
            let path = String(cString: path)
            guard folder != AT_FDCWD, let base = paths[folder] else { return path }
            return path == "." ? base : "\(base)/\(path)"
        }
    }

    private let state = Mutex(State())

    var changes: [Change] { state.withLock { $0.changes } }

    func handle(_ call: FileCall, _ make: () -> Int) -> Int {
        let result = make()
        guard result >= 0 else { return result }
        state.withLock { state in
            switch call {
            case .makeFolder(let folder, let path): state.changes.append(.makeFolder(state.path(folder, path)))
            case .open(let folder, let path, let flags):
                let path = state.path(folder, path)
                state.paths[Int32(result)] = path
                if flags & O_CREAT != 0 { state.changes.append(.create(path)) }
            case .write(let file, let first, let second):
                state.changes.append(
                    .write(state.paths[file] ?? "", Array((Array(first) + Array(second)).prefix(result))))
            case .synchronize(let file): state.changes.append(.synchronize(state.paths[file] ?? ""))
            case .setDates(let file, let modified):
                let date = Date(timeIntervalSince1970: Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9)
                state.changes.append(.setDates(state.paths[file] ?? "", modified: date))
            case .rename(let folder, let path, let new):
                state.changes.append(.rename(state.path(folder, path), to: state.path(folder, new)))
            case .remove(let folder, let path): state.changes.append(.remove(state.path(folder, path)))
            case .close(let file): state.paths[file] = nil
            case .read: break
            }
        }
        return result
    }
}

/// The files of a folder after a loss of power.
struct FilesAfterPowerLoss {
    /// What remains of bytes that were not synchronized.
    enum Bytes: CaseIterable {
        case all, none, half, zeros
    }

    private final class File {
        var bytes: [UInt8] = []
        var modified: Date?
    }

    private var files: [String: File] = [:]
    private var folders: Set<String> = []

    /// Applies the first `count` changes, without one of them, and with the stated part of the bytes of files that were
    /// not synchronized. A change before the synchronization of its file or folder cannot be lost.
    init(_ changes: [RecordedCalls.Change], first count: Int, without lost: Int? = nil, bytes: Bytes = .all) {
        for (number, change) in changes.prefix(count).enumerated() where number != lost {
            switch change {
            case .makeFolder(let path): folders.insert(path)
            case .create(let path): files[path] = File()
            case .write(let path, let written):
                guard let file = files[path] else { continue }
                // Synchronized later, under the name that it has now.
                let isSafe = changes[number..<count].contains {
                    if case .synchronize(path) = $0 { true } else { false }
                }
                switch isSafe ? .all : bytes {
                case .all: file.bytes += written
                case .none: break
                case .half: file.bytes += written.prefix(written.count / 2)
                case .zeros: file.bytes += [UInt8](repeating: 0, count: written.count)
                }
            case .setDates(let path, let modified): files[path]?.modified = modified
            case .rename(let path, let new):
                guard let file = files.removeValue(forKey: path) else { continue }
                files[new] = file
            case .remove(let path): files[path] = nil
            case .synchronize: break
            }
        }
    }

    /// Writes the files. `path` replaces `original` in their paths.
    func write(to path: String, insteadOf original: String) throws {
        func moved(_ file: String) -> String? {
            file.hasPrefix(original) ? path + file.dropFirst(original.count) : nil
        }
        for folder in folders.sorted() {
            guard let folder = moved(folder) else { continue }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        for (name, file) in files {
            guard let name = moved(name) else { continue }
            // A file whose folder was lost is lost.
            guard FileManager.default.createFile(atPath: name, contents: Data(file.bytes)) else { continue }
            if let modified = file.modified {
                try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: name)
            }
        }
    }
}

extension [RecordedCalls.Change] {
    /// Whether a change before `count` can be lost while later ones are on the disk: a change of a name, whose folder
    /// was not synchronized in between.
    func canLose(_ number: Int, before count: Int) -> Bool {
        let path: String
        switch self[number] {
        case .create(let name), .rename(_, let name), .remove(let name): path = name
        case .makeFolder, .write, .setDates, .synchronize: return false
        }
        let folder = path.prefix { $0 == "/" } + path.split(separator: "/").dropLast().joined(separator: "/")
        return !self[number..<count].contains {
            if case .synchronize(let synchronized) = $0 { synchronized == folder } else { false }
        }
    }
}
