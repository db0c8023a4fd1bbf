import Basics

/// A registered policy: its name, its documentation, its parameters, and how to create it.
public struct PolicyEntry: Sendable {
    public let name: String
    /// One sentence.
    public let summary: String
    public let parameters: [PolicyParameter]
    /// Returns the limit in bytes of all objects; nil for policies whose limits are a parameter of the kind
    /// ``PolicyParameter/Kind/limits``, and for policies without limits of their own.
    let byteLimit: (@Sendable (PolicyArguments) throws -> Int?)?
    /// Whether a limit of 0 is no limit, as in many libraries.
    let zeroIsNoLimit: Bool
    let make: @Sendable (PolicyArguments) throws -> any CachePolicy

    public init(
        _ name: String, _ summary: String, parameters: [PolicyParameter],
        byteLimit: (@Sendable (PolicyArguments) throws -> Int?)? = nil, zeroIsNoLimit: Bool = false,
        make: @escaping @Sendable (PolicyArguments) throws -> any CachePolicy
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.byteLimit = byteLimit
        self.zeroIsNoLimit = zeroIsNoLimit
        self.make = make
    }

    /// The form of a specification, with defaults: `ttl(policy, lifetime: duration, sweep: never)`.
    public var signature: String {
        parameters.isEmpty ? name : "\(name)(\(parameters.map(\.signature).joined(separator: ", ")))"
    }

    /// A specification with a value for every parameter that has no default: `ttl(lru(100MB), lifetime: 5min)`.
    public var example: String {
        let required = parameters.filter { $0.defaultText == nil }
        guard !required.isEmpty else { return name }
        let values = required.map { parameter in
            parameter.label.map { "\($0): \(parameter.exampleValue)" } ?? parameter.exampleValue
        }
        return "\(name)(\(values.joined(separator: ", ")))"
    }
}

public struct PolicyParameter: Sendable {
    public enum Kind: Sendable, Equatable {
        /// A size in bytes, or in objects, or one of each.
        case limits
        case size
        case integer
        /// Any number from 0 up.
        case number
        case fraction
        case duration
        case flag
        case choice([String])
        case policy
    }

    /// nil for an argument without a label.
    public let label: String?
    public let kind: Kind
    /// The default in the notation of specifications, or nil if the argument is required.
    public let defaultText: String?
    /// The meaning of the values, in whole sentences; nil if the names say it.
    public private(set) var explanation: String?

    public static var limits: Self { Self(label: nil, kind: .limits, defaultText: nil) }

    public static func policy(_ label: String?) -> Self { Self(label: label, kind: .policy, defaultText: nil) }

    public static func size(_ label: String, default text: String? = nil) -> Self {
        Self(label: label, kind: .size, defaultText: text)
    }

    public static func integer(_ label: String, default value: Int? = nil) -> Self {
        Self(label: label, kind: .integer, defaultText: value.map { "\($0)" })
    }

    public static func number(_ label: String, default value: Double? = nil) -> Self {
        Self(label: label, kind: .number, defaultText: value.map(Quantity.plain))
    }

    public static func fraction(_ label: String, default value: Double? = nil) -> Self {
        Self(label: label, kind: .fraction, defaultText: value.map { "\($0)" })
    }

    public static func duration(_ label: String, default text: String? = nil) -> Self {
        Self(label: label, kind: .duration, defaultText: text)
    }

    public static func flag(_ label: String, default value: Bool? = nil) -> Self {
        Self(label: label, kind: .flag, defaultText: value.map { "\($0)" })
    }

    public static func choice(_ label: String, _ choices: [String], default text: String? = nil) -> Self {
        Self(label: label, kind: .choice(choices), defaultText: text)
    }

    /// The parameter `compat`, see ``Compatibility``.
    static var compat: Self {
        var parameter = choice(
            "compat", Compatibility.allCases.map(\.rawValue), default: Compatibility.paper.rawValue)
        parameter.explanation = Compatibility.versions
        return parameter
    }

    /// The parameter `compat` of a policy that libCacheSim did not have in ``Compatibility/commit``.
    static var compatWithRelease: Self {
        let choices: [Compatibility] = [.paper, .libCacheSim]
        var parameter = choice("compat", choices.map(\.rawValue), default: Compatibility.paper.rawValue)
        parameter.explanation = Compatibility.releaseVersion
        return parameter
    }

    var signature: String {
        let value = defaultText ?? expected
        return label.map { "\($0): \(value)" } ?? value
    }

    fileprivate var exampleValue: String {
        switch kind {
        case .limits: "100MB"
        case .size: "1MB"
        case .integer: "2"
        case .number: "0.5"
        case .fraction: "0.5"
        case .duration: "300s"
        case .flag: "true"
        case .choice(let choices): choices.first ?? ""
        case .policy: "lru(100MB)"
        }
    }

    /// The kind of value in one or two words.
    public var expected: String {
        switch kind {
        case .limits: "size"
        case .size: "size"
        case .integer: "whole number"
        case .number: "number"
        case .fraction: "fraction"
        case .duration: "duration"
        case .flag: "true or false"
        case .choice(let choices): choices.joined(separator: " or ")
        case .policy: "policy"
        }
    }
}

/// The behaviour of a policy where libCacheSim differs from the paper: the parameter `compat`.
public enum Compatibility: String, CaseIterable, Sendable {
    case paper
    /// As the package `libcachesim` ``release`` on PyPI does.
    case libCacheSim = "libcachesim"
    /// As libCacheSim does at ``commit``, of October 2024.
    case libCacheSim2024 = "libcachesim-2024-10"

    /// The version of the package on PyPI. A test compares every policy with it.
    public static let release = "0.3.5"
    public static let commit = "aa0fc409"

    /// The versions that the names stand for, in one sentence.
    public static let versions =
        """
        \(libCacheSim.rawValue) is libcachesim \(release) on PyPI, and \(libCacheSim2024.rawValue) is its commit \
        \(commit) of October 2024.
        """
    static let releaseVersion = "\(libCacheSim.rawValue) is libcachesim \(release) on PyPI."
}
