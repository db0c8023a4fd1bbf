/// What a replay needs from outside of the engine: real tiers with files and connections, and programs of caches.
///
/// The module `MeasuredTiers` has them. An app's test target does without that module and its C libraries.
public struct MeasuredParts: Sendable {
    /// Starts the program of an app's own cache.
    package let startProgram: @Sendable (_ command: String, _ keys: [String]) throws -> any OwnCacheStore
    /// Replays a trace on real tiers.
    package let measure:
        @Sendable (
            _ job: ReplayJob, _ replay: MeasuredReplay, _ progress: (_ events: Int) throws -> Void
        ) throws -> (RunResult, [ReplayRequest], DeliveredBodies)

    package init(
        startProgram: @escaping @Sendable (_ command: String, _ keys: [String]) throws -> any OwnCacheStore,
        measure:
            @escaping @Sendable (
                _ job: ReplayJob, _ replay: MeasuredReplay, _ progress: (_ events: Int) throws -> Void
            ) throws -> (RunResult, [ReplayRequest], DeliveredBodies)
    ) {
        (self.startProgram, self.measure) = (startProgram, measure)
    }
}

/// The input of a replay on real tiers.
package struct MeasuredReplay {
    package let prepared: PreparedTrace
    package let objects: ReplayObjects
    package let identity: RunIdentity
    package let network: NetworkModel
    /// Records causes; nil if they are not asked for.
    package let recorder: ReplayRecorder?

    init(
        _ prepared: PreparedTrace, _ objects: ReplayObjects, _ identity: RunIdentity, _ network: NetworkModel,
        _ recorder: ReplayRecorder?
    ) {
        (self.prepared, self.objects, self.identity) = (prepared, objects, identity)
        (self.network, self.recorder) = (network, recorder)
    }
}

/// The numbers of objects that had kept bodies, and that were decoded.
package struct DeliveredBodies {
    /// nil if no bodies were kept.
    package var kept: Int?
    /// nil if images were not decoded.
    package var decoded: Int?
    /// The objects in whose place generated images were decoded.
    package var generated = 0
    /// The objects whose decoding times were modelled.
    package var modelled = 0

    package init() {}
}
