import ReplayEngine
import SessionModel

/// The user's choice between the meanings of recorded transfer times.
package enum NetworkChoice: Sendable, Equatable {
    case recorded
    /// Another network than the recorded one.
    case profile(NetworkProfile)
    /// An error for a trace without an estimate of the link.
    case shared
    /// Shared, or recorded without an estimate.
    case auto

    /// The name in `run.json`.
    package var name: String {
        switch self {
        case .recorded: ReplayJob.Network.recorded.name
        case .profile(let profile): profile.name
        case .shared: "shared"
        case .auto: ReplayFacts.auto
        }
    }

    /// Returns the network of a trace by this choice; nil if a shared link is asked for and cannot be estimated.
    ///
    /// - Throws: As `ReplayJob.Network.sharedLink(of:)`.
    package func network(of trace: Trace) throws -> ReplayJob.Network? {
        switch self {
        case .profile(let profile): .profile(profile)
        case .recorded: .recorded
        case .shared: try ReplayJob.Network.sharedLink(of: trace)
        case .auto: try ReplayJob.Network.sharedLink(of: trace) ?? .recorded
        }
    }

    /// The fault of a trace whose shared link cannot be estimated, and the remedy.
    package static let noSharedLink = """
        no shared link can be estimated that reproduces the recorded transfers; use --network recorded. `cachereplay \
        validate` compares the recording with its replay.
        """
}
