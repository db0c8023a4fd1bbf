import Basics

/// A capacity in the notation of specifications: `100MB`, `100MiB`, `20 objects`, `5%`.
public enum Size: Sendable, Equatable, CustomStringConvertible {
    case bytes(Int)
    case objects(Int)
    /// A share of the trace's working set: of its unique bytes, or of its objects if sizes are ignored. 1 is all of it.
    case share(Double)

    /// Reads a size.
    ///
    /// - Throws: A ``SpecError`` that lists the units if the unit is missing or unknown.
    public init(_ text: String) throws {
        do { try self.init(quantity: text) } catch let error as QuantityError {
            throw SpecError(error.message, in: text)
        }
    }

    private init(quantity text: String) throws {
        let (number, unit) = try Quantity.split(text, expected: "a size such as 100MB, 100MiB, 20 objects or 5%")
        switch unit {
        case "objects", "object": self = .objects(try Quantity.whole(number, of: text))
        case "%":
            guard number <= Self.largestPercentage else {
                throw QuantityError("'\(text)' is beyond what can be counted")
            }
            self = .share(number / 100)
        default:
            guard let factor = Self.byteUnits.first(where: { $0.name.lowercased() == unit.lowercased() })?.factor else {
                throw QuantityError(
                    unit.isEmpty
                        ? "'\(text)' has no unit: write \(text)B, \(text)MB, \(text)MiB, \(text) objects or \(text)%"
                        : """
                        '\(unit)' is no unit of size: expected one of \
                        \(Self.byteUnits.map(\.name).joined(separator: ", ")), objects, %
                        """)
            }
            self = .bytes(try Quantity.whole((number * Double(factor)).rounded(), of: text))
        }
    }

    var isShare: Bool { if case .share = self { true } else { false } }

    /// Returns the size as a number, with a share taken of the workload.
    public func resolved(in workload: Workload) -> Capacity {
        switch self {
        case .bytes(let bytes): Capacity(bytes, .bytes)
        case .objects(let objects): Capacity(objects, .objects)
        case .share(let share) where workload.ignoresSizes: Capacity(Self.part(share, of: workload.objects), .objects)
        case .share(let share): Capacity(Self.part(share, of: workload.uniqueBytes), .bytes)
        }
    }

    private static let largestPercentage = 1e6

    /// A share above 0 is at least 1: in some policies, a limit of 0 is no limit.
    private static func part(_ share: Double, of whole: Int) -> Int {
        share > 0 ? max(1, Int(min(share * Double(whole), 0x1p60))) : 0
    }

    static let byteUnits: [(name: String, factor: Int)] = [
        ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// The shortest form that reads back as the same size.
    public var description: String {
        switch self {
        case .objects(let count): "\(count) objects"
        case .share(let share): "\(Quantity.plain(share * 100))%"
        case .bytes(0): "0B"
        case .bytes(let bytes):
            Self.byteUnits.filter { bytes % $0.factor == 0 }.map { "\(bytes / $0.factor)\($0.name)" }
                .min { $0.count < $1.count } ?? "\(bytes)B"
        }
    }
}

/// The unit of a capacity.
public enum CapacityUnit: String, Sendable, Hashable, Codable, CaseIterable {
    case bytes
    case objects
}

/// A number of bytes or of objects that a policy may hold.
public struct Capacity: Sendable, Hashable {
    public var value: Int
    public var unit: CapacityUnit

    public init(_ value: Int, _ unit: CapacityUnit) {
        self.value = value
        self.unit = unit
    }

    /// The same capacity as a specification writes it.
    public var size: Size {
        switch unit {
        case .bytes: .bytes(value)
        case .objects: .objects(value)
        }
    }

    /// Returns the capacity for a sample that has `rate` of the objects. A positive capacity stays at least 1.
    public func scaled(by rate: Double) -> Capacity {
        Capacity(value == 0 ? 0 : max(1, Int((Double(value) * rate).rounded())), unit)
    }
}
