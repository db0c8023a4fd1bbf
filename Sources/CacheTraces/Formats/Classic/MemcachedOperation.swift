/// The operations of memcached, by the numbers that libCacheSim's binaries give them.
enum MemcachedOperation: UInt8, CaseIterable {
    case get = 1, gets, set, add, cas, replace, append, prepend, delete, incr, decr

    private static let byName: [String: Self] = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })

    init?(_ name: UnsafeRawBufferPointer) {
        guard name.count <= 7, let operation = Self.byName[name.string] else { return nil }
        self = operation
    }

    /// Whether it asks for the value.
    var isRead: Bool { self == .get || self == .gets }
}

extension ReadingNotes {
    /// A session is what was asked for; what wrote or removed values is left out, and said.
    mutating func warnWrites(_ count: Int) {
        if count > 0 {
            warnings.append("\(count) operations that read nothing (set, delete and the like) are left out")
        }
    }
}
