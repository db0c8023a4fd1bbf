import SessionModel

/// Sorts requests by time that a file has in another order, without holding all of them in memory.
///
/// Requests are sorted in parts, which go to a temporary file; reading merges the parts. Requests with equal times keep
/// the order in which they were appended.
final class RequestSpool {
    struct Request: Equatable {
        /// Microseconds.
        var time: Int64
        var object: ObjectID
        var fetch: Fetch

        /// Whether the request recorded a fetch, and how it ended.
        enum Fetch: UInt8 { case none, succeeded, failed }
    }

    /// A part in order of time.
    private struct Part {
        var start: Int
        var count: Int
        var first: Int64
        var last: Int64
    }

    private let room: Int
    private var unsorted: [Request] = []
    private var parts: [Part] = []
    private let file: SpoolFile
    private(set) var count = 0

    private static let length = MemoryLayout<Request>.stride
    /// The number of requests of a part that are read at a time: 32 KiB.
    private static let readAhead = 2048

    /// - Parameter room: The number of requests that are sorted in memory, of 16 bytes each.
    init(path: String, room: Int = 1 << 20) {
        file = SpoolFile(path: path)
        self.room = max(1, room)
    }

    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    func append(_ request: Request) throws {
        unsorted.append(request)
        count += 1
        if unsorted.count == room { try writePart() }
    }

    /// Calls `body` with all requests in order of time, until it returns false.
    ///
    /// - Throws: `TraceError` if the temporary file cannot be written or read.
    func forEach(_ body: (Request) throws -> Bool) throws {
        if !unsorted.isEmpty, parts.isEmpty {
            sort()
            for request in unsorted where try !body(request) { return }
            return
        }
        try writePart()
        // A part is read from its first request on when the merge has come to its time, so that only overlapping parts
        // are in memory.
        var heads = Heap(parts.enumerated().map { Head(time: $1.first, part: $0) })
        var open: [Int: Reader] = [:]
        while let head = heads.first {
            if open[head.part] == nil { open[head.part] = Reader(next: parts[head.part].start) }
            guard var reader = open.removeValue(forKey: head.part) else { return }
            let end = parts[head.part].start + parts[head.part].count
            // The next request of another part, or none.
            let limit = heads.second
            var isEnd = false
            while true {
                if reader.place == reader.requests.count {
                    guard reader.next < end else {
                        isEnd = true
                        break
                    }
                    try read(into: &reader, end: end)
                }
                let request = reader.requests[reader.place]
                let own = Head(time: request.time, part: head.part)
                if let limit, limit < own {
                    heads.replaceFirst(with: own)
                    break
                }
                guard try body(request) else { return }
                reader.place += 1
            }
            if isEnd { heads.removeFirst() } else { open[head.part] = reader }
        }
    }

    private struct Head: Comparable {
        var time: Int64
        var part: Int

        static func < (a: Self, b: Self) -> Bool { (a.time, a.part) < (b.time, b.part) }
    }

    private struct Reader {
        /// The place of the next request to read from the file.
        var next: Int
        var requests: [Request] = []
        var place = 0
    }

    private func read(into reader: inout Reader, end: Int) throws {
        let wanted = min(Self.readAhead, end - reader.next)
        let start = reader.next
        reader.requests = try [Request](unsafeUninitializedCapacity: wanted) { buffer, initialized in
            try file.read(into: .init(UnsafeMutableBufferPointer(rebasing: buffer[..<wanted])), at: start * Self.length)
            initialized = wanted
        }
        reader.next += wanted
        reader.place = 0
    }

    private func sort() {
        let isSorted = zip(unsorted, unsorted.dropFirst()).allSatisfy { $0.time <= $1.time }
        if !isSorted { unsorted.sort { $0.time < $1.time } }  // Swift's sort is stable.
    }

    /// Sorts the requests in memory and moves them to the file.
    private func writePart() throws {
        sort()
        guard let first = unsorted.first, let last = unsorted.last else { return }
        let start = count - unsorted.count
        try unsorted.withUnsafeBytes { try file.write($0, at: start * Self.length) }
        if let part = parts.last, part.last <= first.time {
            parts[parts.count - 1].count += unsorted.count
            parts[parts.count - 1].last = last.time
        } else {
            parts.append(Part(start: start, count: unsorted.count, first: first.time, last: last.time))
        }
        unsorted.removeAll(keepingCapacity: true)
    }
}

/// A binary heap with its least element first.
private struct Heap<Element: Comparable> {
    private var elements: [Element]

    init(_ elements: [Element]) {
        // Sorted elements are a heap.
        self.elements = elements.sorted()
    }

    var first: Element? { elements.first }

    /// The least element but one.
    var second: Element? { elements.dropFirst().prefix(2).min() }

    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        replaceFirst(with: last)
    }

    mutating func replaceFirst(with element: Element) {
        var place = 0
        elements[0] = element
        while true {
            var least = 2 * place + 1
            guard least < elements.count else { return }
            if least + 1 < elements.count, elements[least + 1] < elements[least] { least += 1 }
            guard elements[least] < elements[place] else { return }
            elements.swapAt(place, least)
            place = least
        }
    }
}
