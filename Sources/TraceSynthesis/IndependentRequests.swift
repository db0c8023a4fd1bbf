import CacheTraces

/// Requests that are drawn independently from Zipf's distribution (the independent reference model, E. Coffman and P.
/// Denning, "Operating Systems Theory", 1973), to measure cache simulators. There is no list, person or network.
///
/// A ``SynthesisModel`` provides the seed, the number of requests, the pictures (only full images), their exponent and
/// their sizes. Requests are 1 ms apart.
public struct IndependentRequests: Sendable {
    /// The picture of each request, which is also its rank.
    private let pictures: [UInt32]
    private let sizes: [UInt32]

    /// Draws the requests.
    ///
    /// - Throws: ``SynthesisError``.
    public init(_ model: SynthesisModel) throws {
        try model.check()
        guard model.requests < Int(UInt32.max) else {
            throw SynthesisError(description: "requests is \(model.requests); expected below 4294967295")
        }
        let popularity = ZipfSampler(exponent: model.exponent, count: model.pictures)
        var random = RandomStream(seed: model.seed, name: "independent requests")
        pictures = (0..<model.requests).map { _ in UInt32(popularity.next(&random)) }
        var sizing = RandomStream(seed: model.seed, name: "independent sizes")
        sizes = (0..<model.pictures).map { _ in
            UInt32(
                clamping: max(
                    1, Int(sizing.logNormal(median: model.fullImages.bytes, spread: model.fullImages.spread).rounded()))
            )
        }
    }

    /// Writes the requests as oracleGeneral, in pieces. Ids are unordered, like those of real traces.
    public func writeOracleGeneral(to write: ([UInt8]) throws -> Void) throws {
        let next = nextOrdinals()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.pieceLength + OracleGeneralFormat.recordLength)
        for (index, picture) in pictures.enumerated() {
            OracleGeneralFormat.Record(
                seconds: UInt32(index / 1_000), id: Self.id(picture), bytes: sizes[Int(picture)], next: next[index]
            ).append(to: &bytes)
            if bytes.count >= Self.pieceLength {
                try write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try write(bytes)
    }

    private static let pieceLength = 1 << 20

    /// Returns a distinct 44-bit number for each picture.
    private static func id(_ picture: UInt32) -> UInt64 { (UInt64(picture) &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 20 }

    /// Returns, for each request, the ordinal from 1 of the next request of the same picture; -1 if there is none.
    private func nextOrdinals() -> [Int64] {
        var following = [Int64](repeating: -1, count: sizes.count)
        var next = [Int64](repeating: -1, count: pictures.count)
        for index in pictures.indices.reversed() {
            let picture = Int(pictures[index])
            next[index] = following[picture]
            following[picture] = Int64(index + 1)
        }
        return next
    }
}
