import CacheTiers

/// The body of a response while it arrives: allocated once if its length is announced, otherwise grown by doubling.
struct OriginBody {
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var count = 0

    /// Makes room for an announced length, which must be within the response limit.
    mutating func reserve(_ capacity: Int) {
        guard capacity > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        if count > 0 { larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        buffer.deallocate()
        buffer = larger
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if buffer.count - count < bytes.count { reserve(max(count + bytes.count, 2 * buffer.count)) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Returns the bytes received so far, without a copy if the buffer is full. The body is empty afterwards.
    mutating func takePayload() -> Payload {
        guard count == buffer.count, count > 0 else {
            defer { discard() }
            return Payload(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        let payload = Payload(adopting: buffer)
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
        return payload
    }

    mutating func discard() {
        buffer.deallocate()
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
    }
}
