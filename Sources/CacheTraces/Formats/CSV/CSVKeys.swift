/// Numbers the keys of a CSV file: whole numbers by their value, other keys by their text.
struct CSVKeys: ~Copyable {
    /// Keys that are canonical whole numbers below 10^18.
    var numbers = NumberTable()
    /// All other keys.
    var texts = TextTable()

    /// Returns the object of `key`, or `next` if the key is new; nil if the key is not UTF-8.
    mutating func number(of key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        if key.count <= 18, key.count == 1 || key.first != 0x30, let value = key.unsignedNumber {
            return numbers.number(of: value, next: next).number
        }
        return texts.number(of: key, next: next)
    }
}

/// The keys of a CSV file, which are listed on demand.
private final class KeptCSVKeys {
    private let keys: CSVKeys

    init(_ keys: consuming CSVKeys) { self.keys = keys }

    var haveTexts: Bool { keys.texts.count > 0 }

    /// Returns the keys by number if all are numbers.
    func numbers() -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: keys.numbers.count)
        keys.numbers.forEach { value, object in numbers[Int(object)] = value }
        return numbers
    }

    /// Returns the keys by number.
    func texts() -> [String] {
        var texts = [String](repeating: "", count: keys.numbers.count + keys.texts.count)
        keys.numbers.forEach { value, object in texts[Int(object)] = String(value) }
        keys.texts.forEach { text, object in texts[Int(object)] = text }
        return texts
    }
}

extension Requests {
    /// Keeps the keys, from which texts are made on demand.
    mutating func keep(_ keys: consuming CSVKeys) {
        let kept = KeptCSVKeys(keys)
        self.keys = kept.haveTexts ? .texts { kept.texts() } : .numbers { kept.numbers() }
    }
}
