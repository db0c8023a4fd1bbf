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

extension Requests {
    /// Keeps the keys, which are listed on demand.
    mutating func keep(_ keys: consuming CSVKeys) {
        guard keys.texts.count > 0 else { return keep(keys.numbers) }
        let kept = KeyTexts(keys.texts.store(), keys.numbers)
        self.keys = .texts { kept }
    }
}
