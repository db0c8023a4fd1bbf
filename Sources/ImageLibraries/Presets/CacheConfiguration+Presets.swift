import Basics
import CachePolicies
import ReplayEngine

extension CacheConfiguration {
    /// Parses a specification that may begin with a preset, such as `kingfisher-8; ram: 4GB; connections: 4`.
    ///
    /// The facts of the device and the rules that differ from the preset follow its name. A size in place of a policy
    /// is the limit of the preset's own policy: `nuke-13; memory: 64MB`. All other texts are those that
    /// `CacheConfiguration.init(_:name:registry:)` accepts.
    ///
    /// - Throws: `SpecError` that points at the mistake, or for a text above `PolicySpec.longest`.
    public init(specification text: String, name: String? = nil, registry: PolicyRegistry = .builtIn) throws {
        try self.init(text, name: name, registry: registry) { parts in
            guard let preset = try Self.preset(parts.first, in: text, registry) else {
                try DeviceFact.refuse(parts, in: text)
                return nil
            }
            parts.removeFirst()
            return try CacheConfiguration(preset, on: Device(&parts, in: text))
        }
    }

    /// Creates the cache of a preset on a device.
    public init(_ preset: CachePreset, on device: Device = Device(), name: String? = nil) throws {
        try self.init(
            preset: preset.name, specification: preset.specification(device), deviceMemory: device.memory,
            restsOnDarwinNSCache: preset.restsOnDarwinNSCache)
        self.name = name ?? preset.name
    }

    /// Returns the preset and the device that a specification begins with.
    ///
    /// - Throws: `SpecError` if the specification does not begin with a preset.
    public static func presetAndDevice(in text: String) throws -> (preset: CachePreset, device: Device) {
        var parts = SpecificationPart.parts(of: text)
        guard let first = parts.first, first.key == "memory" else { return (try CachePreset.named(text), Device()) }
        let preset = try CachePreset.named(first.value)
        return (preset, try Device(&parts, in: text))
    }

    /// Returns the preset that the first part of a specification names, or nil if it names a policy.
    private static func preset(
        _ first: SpecificationPart?, in text: String, _ registry: PolicyRegistry
    ) throws -> CachePreset? {
        guard let first, first.key == "memory" else { return nil }
        let name = first.value
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }),
            registry[name] == nil || CachePreset.all.contains(where: { $0.name == name }), (try? Size(name)) == nil
        else { return nil }
        do { return try CachePreset.named(name) } catch let error as SpecError {
            // The name is closer to a policy's, and the parser of policies reports the mistake.
            if nearestName(to: name, among: registry.entries.map(\.name)) != nil, !CachePreset.isNear(name) {
                return nil
            }
            throw error.within(text, at: first.valueColumn)
        }
    }
}

extension Device {
    /// Removes the facts of a device from the parts of a specification, and creates the device.
    fileprivate init(_ parts: inout [SpecificationPart], in text: String) throws {
        self.init()
        for fact in DeviceFact.all {
            guard let index = parts.firstIndex(where: { $0.key == fact.name }) else { continue }
            let part = parts.remove(at: index)
            guard fact.set(part.value, &self) else {
                throw SpecError("\(fact.name) is \(fact.values), not '\(part.value)'", in: text, at: part.column)
            }
            guard !parts.contains(where: { $0.key == fact.name }) else {
                throw SpecError("'\(fact.name)' is given twice", in: text, at: part.column)
            }
        }
    }
}

extension DeviceFact {
    /// Throws for a fact of a device in a specification without a preset.
    fileprivate static func refuse(_ parts: [SpecificationPart], in text: String) throws {
        for part in parts {
            guard let fact = all.first(where: { $0.name == part.key }) else { continue }
            let example = fact.isForAndroid ? "glide; memoryClass: 128MiB" : "kingfisher-8; ram: 4GB"
            throw SpecError(
                "\(fact.name) is for presets: write the preset's name first, as in '\(example)'", in: text,
                at: part.column)
        }
    }
}
