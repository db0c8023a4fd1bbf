/// Numbers the keys of a CSV file: those that are whole numbers by their value, the others by their text.
struct CSVKeys: ~Copyable {
    /// Keys as ``String`` writes whole numbers below 10^18.
    var numbers = NumberTable()
    private var texts = TextTable()
    /// The object of each of `texts`.
    private var objects: [UInt32] = []

    /// The object of `key`, `next` where it is new; nil where it is not UTF-8.
    mutating func number(of key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        if key.count <= 18, key.count == 1 || key.first != 0x30, let value = key.unsignedNumber {
            return numbers.number(of: value, next: next).number
        }
        return number(ofText: key, next: next)
    }

    /// The same for a key that is no such number.
    mutating func number(ofText key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        guard let text = texts.number(of: key) else { return nil }
        if Int(text) == objects.count { objects.append(next) }
        return objects[Int(text)]
    }

    /// What gives the keys of all `count` objects.
    func all(count: Int) -> () -> [String] {
        var values = [UInt64](repeating: 0, count: count)
        numbers.forEach { value, object in values[Int(object)] = value }
        return { [values, texts, objects] in
            var keys = values.map { String($0) }
            for (text, object) in zip(texts.keys(), objects) { keys[Int(object)] = text }
            return keys
        }
    }
}
