/// How a cache fetches, stores and gives up: everything about it that is not a tier's policy.
public struct PipelineRules: Codable, Sendable, Equatable {
    /// Transfers at a time.
    public var connections = 6
    /// Which waiting fetch gets the next free connection.
    public var order = FetchOrder.fifo
    /// Requests of a key that is being fetched join that fetch.
    public var coalesce = true
    /// Without, misses are held back while the list is dragged or decelerates.
    public var fetchWhileScrolling = true
    public var store = StoreOption.memoryAndDisk
    /// What is read from disk is stored in memory too.
    public var promote = true
    /// A fetch is given up when nobody waits for it any more.
    public var cancelOnDisappear = false
    /// How often a failed fetch is tried again, at once.
    public var retries = 0
    /// Disk operations at a time; 1 is the serial queue of most image libraries.
    public var diskLanes = 1
    public var clearOnMemoryWarning = true
    /// Expired files are removed when the app enters the background.
    public var sweepOnBackground = true

    public init() {}
}

public enum FetchOrder: String, Codable, Sendable, CaseIterable {
    case fifo
    case lifo
    /// Oldest first among those that a visible cell waits for, then the rest.
    case visibleFirst
}

/// Where a fetched object is stored.
public enum StoreOption: String, Codable, Sendable, CaseIterable {
    case memoryAndDisk
    case memoryOnly
    case diskOnly
    case none

    var storesInMemory: Bool { self == .memoryAndDisk || self == .memoryOnly }
    var storesOnDisk: Bool { self == .memoryAndDisk || self == .diskOnly }
}

extension PipelineRules {
    /// Sets one rule by its name, as written in a cache's specification or a YAML file; throws a sentence that names the choices.
    public mutating func set(_ name: String, to value: String) throws(RuleError) {
        switch name {
        case "connections": connections = try Self.count(name, value, atLeast: 1)
        case "order": order = try Self.choice(name, value)
        case "coalesce": coalesce = try Self.flag(name, value)
        case "fetchWhileScrolling": fetchWhileScrolling = try Self.flag(name, value)
        case "store": store = try Self.choice(name, value)
        case "promote": promote = try Self.flag(name, value)
        case "cancelOnDisappear": cancelOnDisappear = try Self.flag(name, value)
        case "retries": retries = try Self.count(name, value, atLeast: 0)
        case "diskLanes": diskLanes = try Self.count(name, value, atLeast: 1)
        case "clearOnMemoryWarning": clearOnMemoryWarning = try Self.flag(name, value)
        case "sweepOnBackground": sweepOnBackground = try Self.flag(name, value)
        default: throw RuleError(rule: name, message: "there is no rule '\(name)'; known: \(Self.names.joined(separator: ", "))")
        }
    }

    /// Every rule and its value, in the order of ``names``.
    public var described: [(name: String, value: String)] {
        [
            ("connections", "\(connections)"), ("order", order.rawValue), ("coalesce", "\(coalesce)"),
            ("fetchWhileScrolling", "\(fetchWhileScrolling)"), ("store", store.rawValue), ("promote", "\(promote)"),
            ("cancelOnDisappear", "\(cancelOnDisappear)"), ("retries", "\(retries)"), ("diskLanes", "\(diskLanes)"),
            ("clearOnMemoryWarning", "\(clearOnMemoryWarning)"), ("sweepOnBackground", "\(sweepOnBackground)"),
        ]
    }

    public static var names: [String] { PipelineRules().described.map(\.name) }

    private static func flag(_ name: String, _ value: String) throws(RuleError) -> Bool {
        guard let flag = Bool(value) else { throw RuleError(rule: name, message: "\(name) is true or false, not '\(value)'") }
        return flag
    }

    private static func count(_ name: String, _ value: String, atLeast least: Int) throws(RuleError) -> Int {
        guard let count = Int(value), count >= least, count <= 1_000 else {
            throw RuleError(rule: name, message: "\(name) is a whole number from \(least) to 1000, not '\(value)'")
        }
        return count
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: String
    ) throws(RuleError) -> Choice {
        guard let choice = Choice(rawValue: value) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw RuleError(rule: name, message: "\(name) is one of \(choices), not '\(value)'")
        }
        return choice
    }
}

/// A rule that does not exist, or a value that it does not take.
public struct RuleError: Error, Sendable, CustomStringConvertible {
    public var rule: String
    public var message: String

    public var description: String { message }
}
