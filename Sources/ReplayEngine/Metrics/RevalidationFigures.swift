/// What the validation of stored objects costs and saves; all 0 for a cache that validates none.
public struct RevalidationFigures: Codable, Sendable, Equatable {
    /// Conditional requests that were sent, with repeated attempts and those that were cancelled.
    public var revalidations = 0
    /// Of those, the ones that the origin answered with 304: the stored object is current.
    public var notModified = 0
    /// The bytes of the bodies that the 304 answers did not transfer.
    public var savedBytes: Int64 = 0
    /// The time that visible blank cells waited for validations, summed over cells, in nanoseconds: from the moment at
    /// which a request begins or joins a conditional request to its last answer, or to the end of the cell.
    public var waitTime = 0.0
    /// The time for which shown objects were past the lifetime that HTTP headers state, at the moment at which they
    /// were shown, summed over the requests that showed them, in nanoseconds.
    public var stalenessShown = 0.0

    public init() {}
}
