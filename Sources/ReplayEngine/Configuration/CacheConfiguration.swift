import Basics
import CachePolicies

/// A cache under test: the policy of each tier, and the rules of the tiers and of the pipeline between them.
public struct CacheConfiguration: Codable, Sendable, Equatable {
    /// What the user calls it.
    public var name: String
    /// The memory tier's policy.
    public var memory: String
    /// The disk tier's policy; nil: there is no disk tier.
    public var disk: String?
    public var memoryRules = MemoryRules()
    public var diskRules = DiskRules()
    public var pipeline: PipelineRules
    /// The preset that it began as.
    public var preset: String?
    /// Which of the plausible models of Darwin's NSCache it is run with; nil where it does not rest on that class.
    public var model: NSCacheModelChoice?

    public init(name: String, memory: String, disk: String? = nil, pipeline: PipelineRules = PipelineRules()) {
        self.name = name
        self.memory = memory
        self.disk = disk
        self.pipeline = pipeline
    }

    /// Reads `memory: lru(100MB); disk: ttl(lru(500MB), lifetime: 7d); connections: 4`, or a policy alone for the
    /// memory tier, or a preset's name, after which rules may follow that differ from it: `kingfisher-8; ram: 4GB;
    /// connections: 4`. Throws a ``SpecError`` that points at the mistake.
    public init(_ text: String, name: String? = nil, registry: PolicyRegistry = .builtIn) throws {
        self.init(name: name ?? text, memory: "")
        var parts = Self.parts(of: text)
        if let first = parts.first, first.key == "memory",
            let preset = try Self.preset(first.value, in: text, at: first.column, registry)
        {
            parts.removeFirst()
            let device = try Self.device(&parts, in: text)
            try self.init(preset, on: device, name: name ?? text)
        }
        var seen: Set<String> = []
        for part in parts {
            guard seen.insert(part.key).inserted else {
                let hint = part.key == "memory" ? "; a policy of the disk tier is written 'disk: …'" : ""
                throw SpecError("'\(part.key)' is given twice\(hint)", in: text, at: part.column)
            }
            do { try set(part.key, to: part.value) } catch let error as RuleError {
                throw SpecError(error.message, in: text, at: part.column)
            }
        }
        guard !memory.isEmpty else {
            throw SpecError(
                "a cache needs a memory policy: write 'memory: none' for a cache without that tier", in: text)
        }
        if preset == nil || !seen.isDisjoint(with: ["memory", "disk", "memoryOnBackground"]) { try check(in: text, registry) }
    }

    /// A preset, as it is on a device.
    public init(_ preset: CachePreset, on device: Device = Device(), name: String? = nil) throws {
        self.init(name: name ?? preset.name, memory: "")
        let text = preset.specification(device)
        for part in Self.parts(of: text) {
            do { try set(part.key, to: part.value) } catch let error as RuleError {
                throw SpecError("preset \(preset.name): \(error.message)", in: text, at: part.column)
            }
        }
        self.preset = preset.name
        model = preset.restsOnDarwinNSCache ? .lru : nil
    }

    /// The cache written out in full for a trace of the given working set, every default included.
    public func canonical(for context: PolicyContext) throws -> String {
        let tiers = ["memory: \(try context.canonical(memory))", "disk: \(try disk.map(context.canonical) ?? "none")"]
        return (tiers + rules.map { "\($0.name): \($0.value)" }).joined(separator: "; ")
    }

    /// Every rule beside the policies, with its value.
    public var rules: [(name: String, value: String)] {
        memoryRules.described + diskRules.described + pipeline.described
    }

    /// The names of all rules.
    public static var ruleNames: [String] { MemoryRules.names + DiskRules.names + PipelineRules.names }

    /// Whether its figures depend on how large images are in pixels.
    var needsPixels: Bool {
        memoryRules.cost == .decoded || memoryRules.cost == .encodedAndDecoded || memoryRules.holds == .decoded
            || diskRules.content != .original
    }

    /// Sets one rule, or a tier's policy, by its name.
    public mutating func set(_ key: String, to value: String) throws {
        switch key {
        case "memory": memory = value
        case "disk": disk = value == "none" ? nil : value
        case _ where MemoryRules.names.contains(key): try memoryRules.set(key, to: value)
        case _ where DiskRules.names.contains(key): try diskRules.set(key, to: value)
        case _ where PipelineRules.names.contains(key): try pipeline.set(key, to: value)
        case "ram":
            throw RuleError(
                rule: key, message: "ram is for presets: write the preset's name first, as in 'kingfisher-8; ram: 4GB'")
        default:
            let hint =
                nearestName(to: key, among: Self.ruleNames + ["memory", "disk"]).map { "did you mean '\($0)'?" }
                ?? "known: memory, disk, \(Self.ruleNames.joined(separator: ", "))"
            throw RuleError(rule: key, message: "there is no rule '\(key)'; \(hint)")
        }
    }

    /// The same cache with another model of Darwin's NSCache.
    public func with(_ model: NSCacheModelChoice) -> CacheConfiguration {
        var cache = self
        cache.model = model
        cache.memory = memory.replacing("model: \((self.model ?? .lru).rawValue)", with: "model: \(model.rawValue)")
        cache.name = model == .lru ? name : "\(name) [\(model.rawValue)]"
        return cache
    }

    /// The preset that `name` names; nil where it is a policy. Throws where it looks like a preset and is none.
    private static func preset(_ name: String, in text: String, at column: Int, _ registry: PolicyRegistry) throws
        -> CachePreset?
    {
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }),
            registry[name] == nil
        else { return nil }
        do { return try CachePreset.named(name) } catch let error as SpecError {
            // A slip in a policy's name is told by the policies.
            if nearestName(to: name, among: registry.entries.map(\.name)) != nil, !CachePreset.isNear(name) {
                return nil
            }
            throw error.within(text, at: column)
        }
    }

    private static func device(_ parts: inout [(key: String, value: String, column: Int)], in text: String) throws
        -> Device
    {
        guard let index = parts.firstIndex(where: { $0.key == "ram" }) else { return Device() }
        let part = parts.remove(at: index)
        guard case .bytes(let memory)? = try? Size(part.value), memory > 0 else {
            throw SpecError("ram is a size such as 4GB, not '\(part.value)'", in: text, at: part.column)
        }
        return Device(memory: memory)
    }

    /// Parses both policies, so that a mistake shows before anything runs. Shares of a working set are only known with
    /// a trace.
    private func check(in text: String, _ registry: PolicyRegistry) throws {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1), registry: registry)
        for policy in [memory, disk].compactMap({ $0 }) {
            do {
                let made = try context.policy(policy)
                if policy == memory, let limit = memoryRules.backgroundLimit, limit > 0, !made.namesVictims {
                    throw SpecError(
                        """
                        memoryOnBackground: \(Size.bytes(limit)) needs a policy that names its next victim, and this \
                        one names none; write memoryOnBackground: clear, or another policy, such as lru
                        """, in: policy)
                }
                if type(of: made).usesFuture {
                    throw SpecError(
                        "a real tier does not know the future: this policy is for `cachereplay simulate`", in: policy)
                }
            } catch let error as SpecError {
                guard let range = text.range(of: policy) else { throw error }
                throw error.within(text, at: text.distance(from: text.startIndex, to: range.lowerBound))
            }
        }
    }

    /// `key: value` parts between semicolons; a part without such a key is the memory policy.
    private static func parts(of text: String) -> [(key: String, value: String, column: Int)] {
        var column = 0
        return text.split(separator: ";", omittingEmptySubsequences: false).compactMap { part in
            defer { column += part.count + 1 }
            let trimmed = part.drop(while: \.isWhitespace)
            guard !trimmed.isEmpty else { return nil }
            let key = trimmed.prefix { $0.isLetter }
            let rest = trimmed.dropFirst(key.count).drop(while: \.isWhitespace)
            let start = column + part.count - trimmed.count
            guard rest.first == ":" else { return ("memory", trimmed.trimmingTrailingSpaces, start) }
            return (String(key), rest.dropFirst().drop(while: \.isWhitespace).trimmingTrailingSpaces, start)
        }
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
