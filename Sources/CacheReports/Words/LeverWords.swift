import Basics
import CachePolicies
import ReplayEngine

extension Lever {
    /// The change in a few words, which follow "with" or stand in a table.
    public var title: String {
        let value = setting.value
        switch kind {
        case .prefetching: return value == PrefetchRule.none.text ? "no prefetching" : "two rows prefetched"
        case .thumbnails: return "thumbnails of cell size"
        case .downsampling: return "images decoded at cell size"
        case .cancelling: return value == "true" ? "downloads cancelled" : "downloads not cancelled"
        case .order:
            return switch FetchOrder(rawValue: value) {
            case .lifo: "the newest cell first"
            case .visibleFirst: "visible cells first"
            case .fifo, nil: "the oldest cell first"
            }
        case .connections: return "\(value) connections\(setting.parameter == "connections" ? "" : " to a host")"
        case .decoding: return "decoding off the main lane"
        case .disk: return value == PolicySpec.none.name ? "no disk" : "a disk of 150 MB"
        case .lifetime: return "no lifetimes"
        case .policy: return "\(value) in memory"
        case .limit: return setting.number.map { "a limit of \(HumanText.bytes($0))" } ?? "no memory limit"
        }
    }

    /// Who makes the change.
    var maker: String { kind.isOfApp ? "app" : "cache" }
}
