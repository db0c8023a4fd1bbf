/// The network as virtual lanes use it: one fetch at a time, which takes the time that it reports. The lanes add the
/// recorded latency.
protocol ReplayNetwork {
    associatedtype Body

    /// Makes what later fetches share, such as a connection. The cost of that is not the cache's.
    mutating func begin()

    /// Fetches the cell's object from an origin that answers as `sample` says. The answer has the bytes of body that
    /// crossed the network, also those of a failed or incomplete response.
    mutating func fetch(_ cell: Cell, _ sample: NetworkModel.Sample) throws -> Answer<Body>
}

/// The network of modelled timing: a fetch succeeds or fails as the recording says, and takes no time of its own.
struct ModelledNetwork: ReplayNetwork {
    let images: ImageSizes

    func begin() {}

    func fetch(_ cell: Cell, _ sample: NetworkModel.Sample) -> Answer<Int> {
        let succeeds = sample.succeeds
        return Answer(
            found: succeeds ? .hit : .miss, body: succeeds ? cell.object : nil, duration: 0,
            bytes: succeeds ? images.encoded[cell.object] : sample.failedBytes)
    }
}
