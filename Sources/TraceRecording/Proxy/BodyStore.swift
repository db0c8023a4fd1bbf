import Basics
import CacheTraces
import Foundation
import SessionModel
import Synchronization

/// The folder of `--keep-bodies`: each content once, and an index by key. ``BodyIndex`` describes and reads the layout.
///
/// Contents are written to `incoming` and get their final name when they are complete. If the process is killed,
/// complete contents stay, and at most the last line of the index is incomplete, which the next recording removes. Only
/// one recording at a time can write to a folder.
final class BodyStore: Sendable {
    struct Status: Sendable {
        /// The number of new contents.
        var written = 0
        /// The number of bodies whose content existed already.
        var known = 0
        /// The reason why the last body could not be stored; nil if it could.
        var problem: String?
    }

    private struct State {
        var status = Status()
        var nextDraft = 0
        /// Key and hash of each line of the index.
        var indexed: Set<[String]> = []
    }

    let folder: String
    private let index: Int32
    private let state: Mutex<State>

    private static let drafts = "incoming"

    /// Opens or creates the folder.
    ///
    /// - Throws: ``ProxyError``, and ``TraceError`` for an index that cannot be read.
    init(folder: String) throws {
        self.folder = folder
        func failure(_ what: String) -> ProxyError {
            ProxyError(kind: .bodies, description: "\(folder): \(what): \(String(cString: strerror(errno)))")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(Self.drafts)", withIntermediateDirectories: true)
        } catch {
            throw ProxyError(
                kind: .bodies,
                description: "\(folder): the folder for bodies cannot be created: \(error.localizedDescription)")
        }
        index = open(BodyIndex.file(in: folder), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard index >= 0 else { throw failure("its index cannot be written") }
        guard flock(index, LOCK_EX | LOCK_NB) == 0 else {
            close(index)
            throw ProxyError(
                kind: .bodies,
                description: "\(folder): another recording stores its bodies there; choose another folder.")
        }
        do {
            let known = try BodyIndex(folder: folder)
            guard ftruncate(index, off_t(known.wholeBytes)) == 0 else { throw failure("its index cannot be written") }
            state = Mutex(State(indexed: Set(known.entries.values.joined().map { [$0.key, $0.sha256] })))
        } catch {
            close(index)
            throw error
        }
        // The incomplete contents of a recording that was killed.
        let abandoned = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(Self.drafts)")) ?? []
        for name in abandoned { unlink("\(folder)/\(Self.drafts)/\(name)") }
    }

    deinit { close(index) }

    var status: Status { state.withLock { $0.status } }

    /// Returns a file for the body of a response; nil if it cannot be created.
    func begin() -> KeptBody? {
        let number = state.withLock { state in
            state.nextDraft += 1
            return state.nextDraft
        }
        let path = "\(folder)/\(Self.drafts)/\(number)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else {
            note("\(path): \(String(cString: strerror(errno)))")
            return nil
        }
        return KeptBody(self, path, file)
    }

    /// Gives a complete draft its final name, unless the content exists already, and adds it to the index.
    func keep(_ draft: String, _ entry: BodyIndex.Entry) {
        let path = BodyIndex.path(of: entry.sha256, in: folder)
        let isKnown = access(path, F_OK) == 0
        if isKnown {
            unlink(draft)
        } else {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            guard rename(draft, path) == 0 else {
                note("\(path): \(String(cString: strerror(errno)))")
                unlink(draft)
                return
            }
        }
        state.withLock { state in
            if isKnown { state.status.known += 1 } else { state.status.written += 1 }
            state.status.problem = nil
            guard state.indexed.insert([entry.key, entry.sha256]).inserted else { return }
            let line = entry.line
            // One write. After a full disk, the incomplete line is removed.
            let end = lseek(index, 0, SEEK_END)
            guard write(index, line, line.count) != line.count else { return }
            state.status.problem = "\(BodyIndex.file(in: folder)): \(String(cString: strerror(errno)))"
            state.indexed.remove([entry.key, entry.sha256])
            ftruncate(index, end)
        }
    }

    func note(_ problem: String) {
        state.withLock { $0.status.problem = problem }
    }
}

/// A body for a ``BodyStore``, which is written and hashed in pieces. An instance belongs to one thread.
final class KeptBody {
    private let store: BodyStore
    private let path: String
    private var file: Int32
    private var hash = Digest(.sha256)
    private var count = 0

    init(_ store: BodyStore, _ path: String, _ file: Int32) {
        self.store = store
        self.path = path
        self.file = file
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard file >= 0, let start = bytes.baseAddress else { return }
        var written = 0
        while written < bytes.count {
            let step = write(file, start + written, bytes.count - written)
            if step > 0 {
                written += step
            } else if step == 0 || errno != EINTR {
                store.note("\(path): \(String(cString: strerror(step == 0 ? EIO : errno)))")
                return discard()
            }
        }
        hash.update(bytes)
        count += bytes.count
    }

    /// Stores the complete body.
    func keep(key: String, _ facts: ResponseFacts) {
        guard file >= 0 else { return }
        close(file)
        file = -1
        let name = hash.finish().hexadecimal
        store.keep(
            path,
            BodyIndex.Entry(
                key: key, sha256: name, bytes: count, contentType: facts.contentType,
                contentEncoding: facts.contentEncoding))
    }

    /// Discards an incomplete body, or one that cannot be written.
    func discard() {
        guard file >= 0 else { return }
        close(file)
        file = -1
        unlink(path)
    }
}
