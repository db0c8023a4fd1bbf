/// The bytes of images beside the stages of a request. Nothing here decides.
extension ReplayPipeline {
    /// Notes that memory or work has grown.
    mutating func noteImageMemory() {
        guard imageMemory != nil else { return }
        imageMemory?.note(lanes.imageBytes)
    }

    /// Notes that the visible cell of a request displays its image.
    mutating func display(_ request: Int) {
        guard imageMemory != nil else { return }
        let imageKey = requests[request].imageKey
        guard imageMemory?.displays(imageKey) == true else { return }
        lanes.display(imageKey)
        noteImageMemory()
    }

    /// Notes that the cell of a request leaves the screen.
    mutating func endDisplay(_ request: Int) {
        guard imageMemory != nil else { return }
        imageMemory?.vanished()
        guard requests[request].delivered >= 0 else { return }
        let imageKey = requests[request].imageKey
        if imageMemory?.stopsDisplaying(imageKey) == true { lanes.stopDisplaying(imageKey) }
    }

    /// Adds the body of a fetch that starts.
    mutating func beginTransfer(_ fetch: Int, _ sample: NetworkModel.Sample) {
        guard let bytes = imageMemory?.transfer(fetches[fetch].imageKey, sample) else { return }
        fetches[fetch].transferBytes = bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    mutating func endTransfer(_ fetch: Int) { imageMemory?.end(fetches[fetch].transferBytes) }

    /// Adds the encoded bytes that wait to be decoded. Those from memory are there already.
    mutating func beginQueue(_ job: inout DecodeJob) {
        let bytes: Int? =
            switch job.client {
            case .memoryHit, .encodedHit: nil
            case .read: imageMemory?.file(job.imageKey)
            case .fetch: imageMemory?.body(job.imageKey)
            }
        guard let bytes else { return }
        job.bytes = bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    /// Adds the bitmap that a decoder writes.
    mutating func beginDecoding(_ job: inout DecodeJob) {
        guard let bytes = imageMemory?.bitmap(job.imageKey) else { return }
        job.bytes += bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    mutating func endDecoding(_ job: DecodeJob) { imageMemory?.end(job.bytes) }
}
