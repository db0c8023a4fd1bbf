/// What a replay needs from outside of the engine: real tiers with files and connections, and programs of caches.
///
/// The module `MeasuredTiers` has them. An app's test target does without that module and its C libraries.
public struct MeasuredParts: Sendable {
    package typealias StartProgram = @Sendable (_ command: String, _ keys: [String]) throws -> any OwnCacheStore
    package typealias Measure =
        @Sendable (_ run: PreparedRun, _ progress: (_ events: Int) throws -> Void) throws -> FinishedReplay

    /// Starts the program of an app's own cache.
    package let startProgram: StartProgram
    /// Replays a trace on real tiers.
    package let measure: Measure

    package init(startProgram: @escaping StartProgram, measure: @escaping Measure) {
        (self.startProgram, self.measure) = (startProgram, measure)
    }
}
