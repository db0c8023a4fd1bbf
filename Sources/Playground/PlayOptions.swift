import CachePolicies
import ReplayEngine
import Runs
import SessionModel

/// The options that the command `cachereplay play` offers on its page.
package struct PlayOptions: Sendable {
    /// A trace that the page can choose.
    package struct Session: Sendable {
        /// The path that the offered command names.
        package var path: String
        /// The name of the trace, as `replay` shows it.
        package var name: String
        /// Reads the trace, as `replay` does. The text of an error says what is wrong and the remedy.
        package var load: @Sendable () throws -> Trace

        package init(path: String, name: String, load: @escaping @Sendable () throws -> Trace) {
            self.path = path
            self.name = name
            self.load = load
        }
    }

    /// Several sessions whose people are compared, such as all files of a folder.
    package struct Population: Sendable {
        package var name: String
        /// The path that the offered command names; nil for the paths of all its sessions.
        package var path: String?
        /// Places in ``PlayOptions/sessions``.
        package var sessions: [Int]

        package init(name: String, path: String? = nil, sessions: [Int]) {
            self.name = name
            self.path = path
            self.sessions = sessions
        }
    }

    /// Sessions and groups of them that are found after the page has begun.
    package struct Later: Sendable {
        package var sessions: [Session]
        /// Their places are those in ``sessions``.
        package var populations: [Population]

        package init(sessions: [Session], populations: [Population] = []) {
            (self.sessions, self.populations) = (sessions, populations)
        }
    }

    /// A network that the page can choose.
    package struct Network: Sendable {
        /// The value of --network.
        package var name: String
        /// The text on the page.
        package var label: String
        package var choice: NetworkChoice

        package init(name: String, label: String, choice: NetworkChoice) {
            self.name = name
            self.label = label
            self.choice = choice
        }
    }

    /// The values of the app's rules that presets only assume, such as cancelling.
    package enum AppChoice: String, Sendable, CaseIterable {
        /// Libraries that differ are held equal, as `replay` does without an option.
        case equal
        /// Each library has its own, as with `--app own`.
        case own
    }

    package var version: String
    /// In the order of the page. The first one is read at the start, and the others when a question names them.
    package var sessions: [Session]
    /// Groups of sessions.
    package var populations: [Population] = []
    /// Finds more sessions, in a thread of its own, so that the first picture does not wait for them; nil for none. The
    /// text of an error says what is wrong and the remedy.
    package var later: (@Sendable () throws -> Later)?
    /// The bases of the caches A, B …: one to four texts as --cache takes them.
    package var caches: [String] = ["nuke-13", "kingfisher-8"]
    /// The caches that the page offers beside presets, such as the caches of a YAML file; texts as --cache takes them.
    package var offered: [String] = []
    /// The first question has the first one. Names differ.
    package var networks: [Network] = Network.standard
    /// The parts that replay caches that are programs (own=PROGRAM); nil refuses such caches.
    package var parts: MeasuredParts?
    /// The policies that caches can name, also policies of plugins.
    package var registry: PolicyRegistry = .builtIn
    package var seed: UInt64 = 1
    /// The choice of the first question.
    package var app = AppChoice.equal
    /// The most bytes of sessions that are kept in memory, besides the one that is asked for; see ``PlaySessions``.
    package var mostSessionBytes = 256 << 20
    package var mostAnswerBytes = 64 << 20

    package init(version: String, sessions: [Session]) {
        self.version = version
        self.sessions = sessions
    }
}

extension PlayOptions.Network {
    /// The networks that --network takes by name: as recorded, the profiles, and the two meanings of recorded times.
    package static var standard: [PlayOptions.Network] {
        [PlayOptions.Network(name: "auto", label: "as recorded", choice: .auto)]
            + NetworkProfile.all.map { profile -> PlayOptions.Network in
                let label = profile.name == NetworkProfile.wifi.name ? "Wi-Fi" : profile.name.uppercased()
                return PlayOptions.Network(name: profile.name, label: label, choice: .profile(profile))
            } + [
                PlayOptions.Network(name: "recorded", label: "recorded times", choice: .recorded),
                PlayOptions.Network(name: "shared", label: "shared link, estimated", choice: .shared),
            ]
    }
}
