import CacheTraces

/// Requests that are drawn independently from Zipf's distribution (the independent reference model, E. Coffman and P.
/// Denning, "Operating Systems Theory", 1973), to measure cache simulators. There is no list, person or network.
///
/// Requests are 1 ms apart.
public struct IndependentRequests: Sendable {
    /// The object of each request, which is also its rank.
    private let objects: [UInt32]
    private let sizes: [UInt32]

    /// Draws the requests.
    ///
    /// - Throws: ``SynthesisError``.
    public init(_ model: RequestModel) throws {
        try model.check()
        let objects = Int(model[.objects])
        let popularity = ZipfSampler(exponent: model[.exponent], count: objects)
        var random = RandomStream(seed: model.seed, name: "independent requests")
        self.objects = (0..<model.requests).map { _ in UInt32(popularity.next(&random)) }
        var sizing = RandomStream(seed: model.seed, name: "independent sizes")
        sizes = (0..<objects).map { _ in
            let bytes = sizing.logNormal(median: model[.bytes], spread: model[.bytesSpread])
            return UInt32(clamping: max(1, Int(bytes.rounded())))
        }
    }

    /// Writes the requests as oracleGeneral, in pieces. Ids are unordered, like the ids of real traces.
    public func writeOracleGeneral(to write: ([UInt8]) throws -> Void) throws {
        let next = nextOrdinals()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.pieceLength + OracleGeneralFormat.recordLength)
        for (index, object) in objects.enumerated() {
            OracleGeneralFormat.Record(
                seconds: UInt32(index / 1_000), id: Self.id(object), bytes: sizes[Int(object)], next: next[index]
            ).append(to: &bytes)
            if bytes.count >= Self.pieceLength {
                try write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try write(bytes)
    }

    private static let pieceLength = 1 << 20

    /// Returns a distinct 44-bit number for each object.
    private static func id(_ object: UInt32) -> UInt64 { (UInt64(object) &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 20 }

    /// Returns, for each request, the ordinal from 1 of the next request of the same object; -1 if there is none.
    private func nextOrdinals() -> [Int64] {
        var following = [Int64](repeating: -1, count: sizes.count)
        var next = [Int64](repeating: -1, count: objects.count)
        for index in objects.indices.reversed() {
            let object = Int(objects[index])
            next[index] = following[object]
            following[object] = Int64(index + 1)
        }
        return next
    }
}
