import CacheTraces

/// Requests alone, each drawn from Zipf's distribution whatever came before (the independent reference model, E.
/// Coffman and P. Denning, "Operating Systems Theory", 1973): what cache simulators are measured with. No list, no
/// person, no network.
///
/// Of a ``SynthesisModel`` it takes the seed, the requests, the pictures (full images alone), their exponent and their
/// sizes. Requests are 1 ms apart.
public struct IndependentRequests: Sendable {
    /// By request: the picture, which is its rank as well.
    private let pictures: [UInt32]
    private let sizes: [UInt32]

    /// Throws ``SynthesisError``.
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

    /// As oracleGeneral, handed to `write` in pieces. Ids are without any order, as those of real traces are.
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

    /// A 44-bit number, another one for each picture.
    private static func id(_ picture: UInt32) -> UInt64 { (UInt64(picture) &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 20 }

    /// By request: the ordinal, from 1, of the next one of the same picture; -1 for none.
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
