/// The keys of the objects in a file of requests, by number. They are made on demand.
enum RequestKeys {
    /// Keys that are the decimal digits of distinct numbers.
    case numbers(() -> [UInt64])
    case texts(() -> KeyTexts)

    /// Keys in memory.
    enum Made {
        case numbers([UInt64])
        case texts(KeyTexts)

        func text(of object: Int) -> String {
            switch self {
            case .numbers(let numbers): String(numbers[object])
            case .texts(let texts): texts.text(of: object)
            }
        }
    }

    func made() -> Made {
        switch self {
        case .numbers(let numbers): .numbers(numbers())
        case .texts(let texts): .texts(texts())
        }
    }

    func callAsFunction() -> [String] {
        switch self {
        case .numbers(let numbers): numbers().map { String($0) }
        case .texts(let texts): texts().all()
        }
    }
}

/// Keys that are texts, in the memory in which their reader has collected them, so that there is one copy of each.
///
/// The keys take their bytes and 9 more, in multiples of 4; of which object they are takes 4 bytes more, with the first
/// use.
final class KeyTexts {
    private var store: TextStore
    /// Keys that are numbers, which join the texts with the first use.
    private var numbers: NumberTable?
    /// The place of the key of each object in the store.
    private lazy var places = makePlaces()

    /// - Parameters:
    ///   - store: Texts, each with the number of its object.
    ///   - numbers: The keys of the other objects, which are numbers. All objects together are numbered from 0.
    init(_ store: consuming TextStore, _ numbers: consuming NumberTable? = nil) {
        self.store = store
        self.numbers = numbers
    }

    convenience init(_ ids: [UInt64], key: (UInt64) -> String) {
        var store = TextStore()
        for (object, id) in ids.enumerated() { Self.add(key(id), UInt32(object), to: &store) }
        self.init(store)
    }

    convenience init(_ keys: [String]) {
        var store = TextStore()
        for (object, key) in keys.enumerated() { Self.add(key, UInt32(object), to: &store) }
        self.init(store)
    }

    var count: Int { places.count }

    /// Calls `body` with the key of an object, which is UTF-8.
    @inline(__always)
    func withBytes<R>(of object: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(store.bases.record(at: places[object]).bytes)
    }

    func text(of object: Int) -> String { withBytes(of: object) { String(decoding: $0, as: UTF8.self) } }

    func all() -> [String] { (0..<count).map { text(of: $0) } }

    private func makePlaces() -> [UInt32] {
        numbers?.forEach { id, object in Self.add(String(id), object, to: &store) }
        numbers = nil
        var places = [UInt32](repeating: 0, count: store.count)
        // Invariant: objects are numbered from 0, each with one key.
        store.forEach { record, place in places[Int(record.number)] = place }
        return places
    }

    private static func add(_ text: String, _ object: UInt32, to store: inout TextStore) {
        var text = text
        text.withUTF8 { _ = store.add(UnsafeRawBufferPointer($0), number: object, size: NumberTable.noSize) }
    }
}
