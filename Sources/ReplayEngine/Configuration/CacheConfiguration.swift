import CachePolicies

/// A cache under test: the policy of each tier, and the rules of the pipeline between them.
public struct CacheConfiguration: Codable, Sendable, Equatable {
    /// What the user calls it.
    public var name: String
    /// The memory tier's policy.
    public var memory: String
    /// The disk tier's policy; nil: there is no disk tier.
    public var disk: String?
    public var pipeline: PipelineRules

    public init(name: String, memory: String, disk: String? = nil, pipeline: PipelineRules = PipelineRules()) {
        self.name = name
        self.memory = memory
        self.disk = disk
        self.pipeline = pipeline
    }

    /// Reads `memory: lru(100MB); disk: ttl(lru(500MB), lifetime: 7d); connections: 4`, or a policy alone for the memory tier.
    /// Throws a ``SpecError`` that points at the mistake.
    public init(_ text: String, name: String? = nil, registry: PolicyRegistry = .builtIn) throws {
        self.init(name: name ?? text, memory: "")
        var seen: Set<String> = []
        for part in Self.parts(of: text) {
            guard seen.insert(part.key).inserted else {
                let hint = part.key == "memory" ? "; a policy of the disk tier is written 'disk: …'" : ""
                throw SpecError("'\(part.key)' is given twice\(hint)", in: text, at: part.column)
            }
            do { try set(part.key, to: part.value) } catch let error as RuleError {
                throw SpecError(error.message, in: text, at: part.column)
            }
        }
        guard !memory.isEmpty else {
            throw SpecError("a cache needs a memory policy: write 'memory: none' for a cache without that tier", in: text)
        }
        try check(in: text, registry)
    }

    /// The cache written out in full for a trace of the given working set, every default included.
    public func canonical(for context: PolicyContext) throws -> String {
        let tiers = ["memory: \(try context.canonical(memory))", "disk: \(try disk.map(context.canonical) ?? "none")"]
        return (tiers + pipeline.described.map { "\($0.name): \($0.value)" }).joined(separator: "; ")
    }

    private mutating func set(_ key: String, to value: String) throws {
        switch key {
        case "memory": memory = value
        case "disk": disk = value == "none" ? nil : value
        default: try pipeline.set(key, to: value)
        }
    }

    /// Parses both policies, so that a mistake shows before anything runs. Shares of a working set are only known with a trace.
    private func check(in text: String, _ registry: PolicyRegistry) throws {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1), registry: registry)
        for policy in [memory, disk].compactMap({ $0 }) {
            do {
                if type(of: try context.policy(policy)).usesFuture {
                    throw SpecError("a real tier does not know the future: this policy is for `cachereplay simulate`", in: policy)
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
