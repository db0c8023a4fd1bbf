/// The first cells of a run as the user saw them: when each appeared, showed its image and vanished.
///
/// Times are microseconds of replay time.
public struct Film: Codable, Sendable, Equatable {
    /// The most cells that a film has. Later cells are only counted, in ``omitted``.
    public static let mostCells = 20_000
    /// The most cells that are visible at a time in a film. A trace with more of them does not record when cells
    /// vanish: its cells say what was requested, not what the user saw.
    public static let largestScreen = 200

    /// In order of appearance.
    public private(set) var cells: [Cell]
    /// The number of cells that the film leaves out.
    public private(set) var omitted: Int

    public struct Cell: Sendable, Equatable {
        public var appeared: Int64
        /// When the cell showed its image; nil if it never did.
        public var delivered: Int64?
        /// nil if the cell is visible until the end.
        public var vanished: Int64?
        public var source: Source
        /// Whether the cell was given an object past its lifetime.
        public var isStale: Bool

        public init(
            appeared: Int64, delivered: Int64? = nil, vanished: Int64? = nil, source: Source, isStale: Bool = false
        ) {
            self.appeared = appeared
            self.delivered = delivered
            self.vanished = vanished
            self.source = source
            self.isStale = isStale
        }
    }

    /// The source of a cell's image, or the reason why there is none. The raw values are part of the stored form.
    public enum Source: Int64, Sendable, CaseIterable {
        case memoryHit, diskHit, origin, coalesced, deferred, cancelled, failed, wrong
    }

    /// - Parameters:
    ///   - cells: In order of appearance.
    ///   - limit: The number of cells that the film keeps.
    public init(_ cells: [Cell], limit: Int = mostCells) {
        self.cells = Array(cells.prefix(max(0, limit)))
        omitted = cells.count - self.cells.count
    }

    /// The most cells that are visible at a time.
    public var mostVisible: Int {
        let ends = cells.compactMap(\.vanished).sorted()
        var (ended, most) = (0, 0)
        for (index, cell) in cells.enumerated() {
            while ended < ends.count, ends[ended] <= cell.appeared { ended += 1 }
            most = max(most, index + 1 - ended)
        }
        return most
    }

    /// The slot of each cell: the lowest one that is free when the cell appears. A cell that vanishes at this moment
    /// has given its slot back.
    public var slots: [Int] {
        // When the cell in each slot vanishes.
        var ends: [Int64] = []
        return cells.map { cell in
            let end = cell.vanished ?? .max
            if let free = ends.firstIndex(where: { $0 <= cell.appeared }) {
                ends[free] = end
                return free
            }
            ends.append(end)
            return ends.count - 1
        }
    }
}

/// A film is stored as one list of whole numbers: the number of cells left out, and four numbers for each cell. These
/// are the time since the appearance of the cell before, the times from the appearance to the image and to the
/// end, each plus 1 and 0 if there is none, and twice the source, plus 1 if the object was stale.
extension Film {
    public var numbers: [Int64] {
        var previous: Int64 = 0
        return [Int64(omitted)]
            + cells.flatMap { cell in
                defer { previous = cell.appeared }
                return [
                    cell.appeared - previous, cell.delivered.map { $0 - cell.appeared + 1 } ?? 0,
                    cell.vanished.map { $0 - cell.appeared + 1 } ?? 0,
                    cell.source.rawValue * 2 + (cell.isStale ? 1 : 0),
                ]
            }
    }

    /// - Returns: nil if the numbers are no film.
    public init?(numbers: [Int64]) {
        guard let first = numbers.first, let omitted = Int(exactly: first), omitted >= 0, numbers.count % 4 == 1
        else { return nil }
        var cells: [Cell] = []
        cells.reserveCapacity(numbers.count / 4)
        var time: Int64 = 0
        for index in stride(from: 1, to: numbers.count, by: 4) {
            let (step, image, end, code) = (numbers[index], numbers[index + 1], numbers[index + 2], numbers[index + 3])
            guard step >= 0, image >= 0, end >= 0, let source = Source(rawValue: code >> 1) else { return nil }
            let (appeared, overflows) = time.addingReportingOverflow(step)
            guard !overflows, image <= .max - appeared, end <= .max - appeared else { return nil }
            time = appeared
            cells.append(
                Cell(
                    appeared: time, delivered: image == 0 ? nil : time + image - 1,
                    vanished: end == 0 ? nil : time + end - 1, source: source, isStale: code & 1 == 1))
        }
        self.cells = cells
        self.omitted = omitted
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.singleValueContainer()
        guard let film = Film(numbers: try values.decode([Int64].self)) else {
            throw DecodingError.dataCorruptedError(in: values, debugDescription: "The numbers are not those of a film.")
        }
        self = film
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.singleValueContainer()
        try values.encode(numbers)
    }
}

extension Film {
    /// - Parameters:
    ///   - requests: The outcome of each request, in order of appearance.
    ///   - end: The end of the replay in nanoseconds, at which the cells that are still visible close.
    ///   - limit: The number of requests that the film keeps.
    init(_ requests: some Collection<ReplayRequest>, end: Int64 = .max, limit: Int = mostCells) {
        self.init(requests.prefix(max(0, limit)).map { Cell($0, end: end) })
        omitted = requests.count - cells.count
    }

    /// Returns the film of a replay; nil without requests, and if more cells are visible than on a screen.
    static func ofScreen(_ requests: some Collection<ReplayRequest>, end: Int64) -> Film? {
        guard !requests.isEmpty else { return nil }
        let film = Film(requests, end: end)
        return film.mostVisible <= largestScreen ? film : nil
    }
}

extension Film.Cell {
    init(_ request: ReplayRequest, end: Int64) {
        let isVisibleToTheEnd = request.vanished < 0 || request.vanished >= end
        self.init(
            appeared: request.appeared / 1_000, delivered: request.delivered < 0 ? nil : request.delivered / 1_000,
            vanished: isVisibleToTheEnd ? nil : request.vanished / 1_000, source: Film.Source(request),
            isStale: request.isStale)
    }
}

extension Film.Source {
    init(_ request: ReplayRequest) {
        guard !request.isWrong else {
            self = .wrong
            return
        }
        switch request.outcome {
        case .memoryHit: self = .memoryHit
        case .diskHit: self = .diskHit
        case .origin: self = .origin
        case .coalesced: self = .coalesced
        case .deferred: self = .deferred
        case .cancelled, nil: self = .cancelled
        case .failed: self = .failed
        }
    }
}
