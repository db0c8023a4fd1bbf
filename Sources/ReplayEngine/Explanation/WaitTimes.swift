/// The time that the visible cell of a request waited for each ``Wait``, in nanoseconds, in the order of its cases.
///
/// The requests of a run share one array.
public struct WaitTimes: Sendable, Equatable, RandomAccessCollection {
    private let all: [Int64]
    private let start: Int

    /// - Parameter times: One for each ``Wait``.
    public init(_ times: [Int64] = Array(repeating: 0, count: Wait.allCases.count)) {
        self.init(times, request: 0)
    }

    /// - Parameter all: The waits of all requests, request after request.
    init(_ all: [Int64], request: Int) {
        self.all = all
        start = request * Self.kinds
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { Self.kinds }
    public subscript(position: Int) -> Int64 { all[start + position] }

    public static func == (one: WaitTimes, other: WaitTimes) -> Bool { one.elementsEqual(other) }

    static let kinds = Wait.allCases.count
}
