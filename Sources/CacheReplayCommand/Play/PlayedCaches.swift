import ReplayEngine

/// The caches that `play` begins with, and those that its page offers.
struct PlayedCaches {
    /// The texts of the first caches, at most four; empty for those of the page.
    private(set) var first: [String] = []
    /// The texts of the caches of a configuration file.
    private(set) var offered: [String] = []
    /// Whether one of them is a program of the user's own.
    private(set) var haveProgram = false

    /// The most caches that the page compares.
    static let most = 4

    /// - Parameters:
    ///   - texts: The values of --cache.
    ///   - file: The configuration file, with its path.
    /// - Throws: ``CommandFailure`` or `SpecError` for a text that is no cache.
    init(_ texts: [String], _ file: (path: String, config: ConfigFile)?) throws {
        let caches = try texts.map { try ReplayCommand.cache($0) }
        if let (path, config) = file {
            for (cache, text) in zip(config.caches, config.cacheTexts) {
                guard (try? ReplayCommand.cache(text)) == cache else {
                    throw CommandFailure(
                        .usage,
                        "\(path): the cache \(cache.name) cannot be written as one text, which the page needs; give it "
                            + "with --cache.")
                }
            }
            offered = config.cacheTexts
        }
        let all = caches + (file?.config.caches ?? [])
        try ReplayPlan.checkNames(all.map(\.name), "caches", remedy: "give them different names")
        first = Array((texts + offered).prefix(Self.most))
        haveProgram = all.contains { $0.own != nil }
    }
}
