/// The keys of the objects in a file of requests, by number. They are made on demand.
enum RequestKeys {
    /// Keys that are the decimal digits of distinct numbers.
    case numbers(() -> [UInt64])
    /// Keys of any text.
    case texts(() -> [String])

    /// Keys in memory.
    enum Made {
        case numbers([UInt64])
        case texts([String])
    }

    func made() -> Made {
        switch self {
        case .numbers(let numbers): .numbers(numbers())
        case .texts(let texts): .texts(texts())
        }
    }

    /// Returns the keys as texts.
    func callAsFunction() -> [String] {
        switch self {
        case .numbers(let numbers): numbers().map { String($0) }
        case .texts(let texts): texts()
        }
    }
}
