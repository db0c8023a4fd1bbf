import Advising
import Basics
import ImageLibraries
import ReplayEngine

/// The code that gives a library the limits that an advice recommends.
public struct AdviceSetting: Sendable, Encodable, Equatable {
    public let cache: String
    /// The values of rules that are not the cache's own.
    public let changes: [SweptValue]
    /// The limit of memory in bytes that the code sets: the smallest limit that is enough, or the question's limit; nil
    /// for none.
    public let limit: Int?
    /// The limit of the disk in bytes; nil for the cache's own limit.
    public let disk: Int?
    /// The library's name; nil if no code is known.
    public let library: String?
    /// `swift` or `kotlin`.
    public let language: String?
    /// The statements; empty if no statement is known.
    public let code: String
    /// Where the names of the library were read.
    public let source: String?
    /// The settings that the code leaves out, a sentence each.
    public let missing: [String]

    enum CodingKeys: String, CodingKey {
        case cache, changes, library, language, code, source
        case limit = "limit_bytes"
        case disk = "disk_limit_bytes"
        case missing = "not_set"
    }

    init(_ candidate: Advice.Candidate, _ configuration: CacheConfiguration) {
        cache = candidate.cache
        changes = candidate.changes
        limit = candidate.limit
        disk = candidate.disk
        guard let setting = try? SettingAsCode(configuration) else {
            (library, language, code, source) = (nil, nil, "", nil)
            missing = [
                configuration.preset.map { "No code is known that sets a limit of \($0)." }
                    ?? "\(candidate.cache) is no library's cache, so no library has a setting for it."
            ]
            return
        }
        library = setting.library
        language = setting.language.rawValue
        code = setting.code
        source = setting.source
        missing =
            setting.code.isEmpty && setting.unsupported.isEmpty
            ? ["No value differs from the library's defaults."] : setting.unsupported
    }

    var blocks: [Document.Block] {
        let limit = limit.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let disk = disk.map { ", disk: \(HumanText.bytes(Double($0)))" } ?? ""
        let kind = language.flatMap(SettingAsCode.Language.init(rawValue:)).map { ", in \($0.title)" } ?? ""
        let rules = changes.map { ", \($0.parameter): \($0.value)" }.joined()
        let title = "\(cache) with \(limit)\(disk)\(rules)\(code.isEmpty ? "" : kind)"
        let source = code.isEmpty ? nil : source.map { "The names are from \($0)." }
        let sentences = (source.map { [$0] } ?? []) + missing
        return [.heading(title, level: 3)] + (code.isEmpty ? [] : [.code(code)])
            + (sentences.isEmpty ? [] : [.sentences(sentences)])
    }
}

extension Advice {
    /// The settings of the first cache, and of the second one if it is of another library.
    public var settings: [AdviceSetting] {
        let settings = configured.compactMap { candidate in
            candidate.configuration.map { AdviceSetting(candidate, $0) }
        }
        guard settings.count == 2 else { return settings }
        let isSame = settings[0].library.map { $0 == settings[1].library } ?? (settings[0].cache == settings[1].cache)
        return isSame ? [settings[0]] : settings
    }
}
