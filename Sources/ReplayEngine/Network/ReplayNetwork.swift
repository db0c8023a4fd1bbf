import HTTPCaching
import SessionModel

/// The network as virtual lanes use it: one fetch at a time, which takes the time that it reports. The lanes add the
/// recorded latency.
package protocol ReplayNetwork {
    associatedtype Body

    /// Makes what later fetches share, such as a connection. The cost of that is not the cache's.
    mutating func begin()

    /// Fetches the cell's object from an origin that answers as `sample` says. The answer has the bytes of body that
    /// crossed the network, also those of a failed or incomplete response. Header fields make the request conditional.
    mutating func fetch(
        _ cell: Cell, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<Body>
}

/// The network of modelled timing: a fetch succeeds or fails as the recording says, and takes no time of its own.
package struct ModelledNetwork: ReplayNetwork {
    package let images: ImageSizes
    /// By object: what its origin knows of the current response. Empty for a cache that sends no conditions.
    package var validators: [HTTPValidators] = []

    package func begin() {}

    package func fetch(_ cell: Cell, _ sample: NetworkModel.Sample, conditions: [HTTPField]) -> Answer<Int> {
        let succeeds = sample.succeeds
        if succeeds, !conditions.isEmpty, validators[cell.object].confirm(conditions) {
            return Answer(found: .miss, body: nil, duration: 0, isNotModified: true)
        }
        return Answer(
            found: succeeds ? .hit : .miss, body: succeeds ? cell.object : nil, duration: 0,
            bytes: succeeds ? images.encoded[cell.object] : sample.failedBytes)
    }
}
