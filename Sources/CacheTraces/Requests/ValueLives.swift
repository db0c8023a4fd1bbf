/// How long the values of a trace of a key-value cache live, and which a client deletes.
///
/// The life of a value begins with the operation that states a lifetime: with each write, and with a read if no life of
/// the object runs. A value that has reached its end is removed before the next read of the object, from every cache
/// alike, and keeps its room until then, as in memcached. A deleted value is removed at once. Lifetimes therefore
/// depend on the trace alone, and not on the time at which a simulated cache fetches a value; libCacheSim counts from
/// there.
///
/// - `Key`: What identifies an object: its id in the file, or its number in a table.
struct ValueLives<Key: Hashable> {
    /// The end of each life, in microseconds on the clock of the file.
    private var ends: [Key: Int64] = [:]
    private(set) var deleted = 0
    private(set) var expired = 0

    /// Whether no life can end, so that reads need not be looked up.
    var isEmpty: Bool { ends.isEmpty }

    /// - Parameter lifetime: In seconds; 0: without an end.
    mutating func write(_ key: Key, at time: Int64, lifetime: Int64) {
        if lifetime > 0 { ends[key] = time &+ lifetime &* 1_000_000 } else if !ends.isEmpty { ends[key] = nil }
    }

    mutating func delete(_ key: Key) {
        deleted += 1
        if !ends.isEmpty { ends[key] = nil }
    }

    /// Returns whether the life of the value has ended before a read.
    ///
    /// - Parameter lifetime: In seconds, if the read states it; otherwise 0.
    mutating func read(_ key: Key, at time: Int64, lifetime: Int64) -> Bool {
        guard lifetime > 0 || !ends.isEmpty else { return false }
        let end = ends[key]
        let hasEnded = end.map { $0 <= time } ?? false
        if hasEnded { expired += 1 }
        guard hasEnded || end == nil else { return false }
        write(key, at: time, lifetime: lifetime)
        return hasEnded
    }

    var warnings: [String] {
        var warnings: [String] = []
        if deleted > 0 {
            warnings.append("\(deleted) of these operations delete a value, which every cache then loses")
        }
        if expired > 0 {
            warnings.append(
                "at \(expired) reads the recorded lifetime of the value has ended, so that no cache has it")
        }
        return warnings
    }
}

extension ReadingNotes {
    /// Adds the warning of a format that stores requests alone.
    mutating func warnRemovals(_ count: Int) {
        guard count > 0 else { return }
        warnings.append(
            "\(count) removals of values, at deletes and ends of lifetimes, cannot be stored and are left out")
    }
}

/// The lives of values whose keys are texts.
struct TextLives: ~Copyable {
    /// The keys that have had a life, which may never be read.
    private var keys = TextTable()
    private var lives = ValueLives<UInt32>()

    var warnings: [String] { lives.warnings }

    /// Notes an operation that is not a read. A deleted object of `ids` is removed from `requests`.
    ///
    /// - Parameter lifetime: In seconds; 0: without an end.
    mutating func note(
        _ operation: MemcachedOperation, of key: UnsafeRawBufferPointer, at time: Int64, lifetime: Int64,
        _ requests: inout Requests, _ ids: borrowing TextTable
    ) throws {
        guard operation == .delete || operation.setsLifetime else { return }
        lives.note(operation, of: try number(of: key), at: time, lifetime: lifetime)
        if operation == .delete, let object = ids.existing(key) { requests.appendRemoval(of: object) }
    }

    /// Notes a read of an object, before it is appended to `requests`. If the life of its value has ended, it is
    /// removed.
    mutating func read(
        _ object: UInt32, _ key: UnsafeRawBufferPointer, at time: Int64, lifetime: Int64, _ requests: inout Requests
    ) throws {
        guard let known = lifetime > 0 ? try number(of: key) : lives.isEmpty ? nil : keys.existing(key),
            lives.read(known, at: time, lifetime: lifetime), object < requests.next
        else { return }
        requests.appendRemoval(of: object)
    }

    private mutating func number(of key: UnsafeRawBufferPointer) throws -> UInt32 {
        guard let number = keys.number(of: key) else {
            throw TextRecords.Malformed("the key is not UTF-8: \(key.excerpt)")
        }
        return number
    }
}
