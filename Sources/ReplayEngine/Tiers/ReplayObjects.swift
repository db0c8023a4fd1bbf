import CachePolicies
import CacheTiers

/// The objects of a trace as one cache sees them: their keys in each tier, their costs and their sizes.
package struct ReplayObjects: Sendable {
    package let keys: [String]
    package let images: ImageSizes
    package let memoryRules: MemoryRules
    package let diskRules: DiskRules
    /// The key of each object in memory.
    package let memoryKeys: [String]
    /// By object: the first object with the same key in that tier, usually itself.
    private let memoryNames: [Int]
    private let diskNames: [Int]

    /// The bytes that the cost of an object in memory includes beside its own.
    private let overhead: Int

    /// - Parameters:
    ///   - keys: The key of each object.
    ///   - namesakes: The first object with the key of each object; nil if they are not known yet.
    ///   - hasDisk: Whether the cache has a disk tier.
    package init(
        keys: [String], namesakes: [Int]? = nil, images: ImageSizes, memory: MemoryRules, disk: DiskRules,
        hasDisk: Bool = true
    ) {
        self.keys = keys
        overhead = memory.cost == .file && hasDisk ? disk.format.overhead : 0
        self.images = images
        memoryRules = memory
        diskRules = disk
        memoryKeys = memory.memoryKey == .url ? keys : keys.map(memory.memoryKey.key)
        memoryNames = (memory.memoryKey == .url ? namesakes : nil) ?? Self.firstNamesakes(memoryKeys)
        let layout = disk.format.layout
        diskNames =
            switch layout {
            case .hostPath where memory.memoryKey == .hostPath: memoryNames
            case _ where layout.sharesFiles: Self.firstNamesakes(keys.map { layout.fileName(for: $0) ?? $0 })
            default: Array(keys.indices)
            }
    }

    /// A number that cells with the same key in memory share.
    package func memoryNumber(_ cell: Cell) -> Int { memoryNames[cell.object] * 2 + Int(cell.variant) }

    /// A number that cells with the same file share.
    package func diskNumber(_ cell: Cell) -> Int { diskNames[cell.object] * 2 + Int(cell.variant) }

    /// `decoded`: as ``ImageSizes/cost(_:_:decoded:)`` has it.
    package func cost(_ object: Int, decoded: Int? = nil) -> Int {
        images.cost(object, memoryRules.cost, holding: memoryRules.holds, decoded: decoded) + overhead
    }

    /// The limit of the memory of encoded bytes, and that for single objects; nil if there is none.
    package var encodedMemory: (limits: Limits, entryRule: EntryRule)? {
        memoryRules.encodedMemory.map { (Limits(bytes: $0), EntryRule(limit: $0 / 8, oversize: .ignored)) }
    }

    package func held(_ object: Int) -> Int { images.held(object, memoryRules.holds) }

    package func written(_ object: Int) -> Int { images.written(object, diskRules.content) }

    package static func firstNamesakes(_ names: [String]) -> [Int] {
        var first: [String: Int] = [:]
        return names.enumerated().map { index, name in
            if let known = first[name] { return known }
            first[name] = index
            return index
        }
    }
}
