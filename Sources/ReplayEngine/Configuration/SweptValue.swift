import Basics
import CachePolicies

/// One value of a parameter that a replay sweeps: `memory=64MB`.
public struct SweptValue: Codable, Sendable, Hashable {
    /// `memory` or `disk` for the limit of that tier, or the name of a rule.
    public var parameter: String
    public var value: String

    public init(parameter: String, value: String) {
        self.parameter = parameter
        self.value = value
    }

    public var text: String { "\(parameter)=\(value)" }

    /// The value as a number: bytes, objects, microseconds, or a plain number. Nil for a share, a word, and
    /// ``unlimited``.
    public var number: Double? {
        if let size = try? Size(value) {
            switch size {
            case .bytes(let bytes): return Double(bytes)
            case .objects(let objects): return Double(objects)
            case .share: return nil
            }
        }
        return Double(value) ?? (try? TimeSpan.microseconds(value)).map(Double.init)
    }

    /// The value that stands for no limit.
    public static let unlimited = "unlimited"
}

extension CacheConfiguration {
    /// Returns the same cache with another value of a parameter, and with a name that has the value.
    ///
    /// The value of `memory` and `disk` is a size, or `unlimited`: it replaces the limit in the tier's own policy.
    /// - Throws: `SpecError` or ``RuleError`` if the cache has no such parameter, or refuses the value.
    public func sweeping(_ swept: SweptValue, registry: PolicyRegistry = .builtIn) throws -> CacheConfiguration {
        var cache = self
        switch swept.parameter {
        case "memory":
            cache.memory = try memory.limited(to: Self.limit(swept), registry: registry)
            cache.followLimit(of: memory, registry)
        case "disk":
            guard let disk else { throw SpecError("'\(name)' has no disk tier to sweep", in: swept.text) }
            cache.disk = try disk.limited(to: Self.limit(swept), registry: registry)
        default: try cache.set(swept.parameter, to: swept.value)
        }
        cache.baseName = base
        cache.swept = self.swept + [swept]
        cache.name = "\(name) \(swept.text)"
        return cache
    }

    /// nil for no limit.
    private static func limit(_ swept: SweptValue) throws -> Size? {
        swept.value == SweptValue.unlimited ? nil : try Size(swept.value)
    }
}
