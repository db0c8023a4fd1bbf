import Basics
import Runs

extension Asked {
    /// Returns the arguments of `cachereplay replay` that give these figures.
    ///
    /// Caches over different networks are all replayed over all of them: the figures of the page are among the rows.
    /// - Throws: ``PlayFailure`` for a session that cannot be read, if its networks have to be known.
    func replayArguments() throws -> [String] {
        var arguments = ["replay"] + paths + ["--timing", "modelled"]
        for network in try networks() { arguments += Self.option("--network", network) }
        if !question.decodes { arguments.append("--no-decode") }
        if question.seed != 1 { arguments += ["--seed", "\(question.seed)"] }
        for time in question.warnings { arguments += ["--memory-warning-at", TimeSpan.text(time)] }
        if question.app == .own { arguments += ["--app", "own"] }
        for cache in caches.map(\.option).unique() { arguments += Self.option("--cache", cache) }
        return arguments
    }

    func replayCommand() throws -> String { ShellText.line(["cachereplay"] + (try replayArguments())) }

    private var paths: [String] {
        let options = playground.options
        let paths = population?.path.map { [$0] } ?? places.map { options.sessions[$0].path }
        // An argument that begins with a dash would be an option.
        return paths.map { $0.utf8.first == UInt8(ascii: "-") ? "./\($0)" : $0 }
    }

    /// Returns an option with its value, in one word if the value would be an option itself.
    private static func option(_ name: String, _ value: String) -> [String] {
        value.utf8.first == UInt8(ascii: "-") ? ["\(name)=\(value)"] : [name, value]
    }

    /// Returns the values of --network, each once.
    ///
    /// `auto` stands for one of `recorded` and `shared`, and may not be named beside them: it is then the one that it
    /// stands for.
    private func networks() throws -> [String] {
        let names = caches.map(\.network.name).unique()
        let others = caches.map(\.network).filter { network in
            network.choice == .recorded || network.choice == .shared
        }
        guard !others.isEmpty, let auto = caches.first(where: { $0.network.choice == .auto })?.network else {
            return names
        }
        let name = try session().network(auto).name
        return names.map { $0 == auto.name ? name : $0 }.unique()
    }
}
