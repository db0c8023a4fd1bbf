import Basics
import CachePolicies

/// A form that texts of a value have, for JSON Schema. A value has one of a few forms.
public enum ValueForm: Sendable, Equatable {
    case words([String])
    case flag
    case whole(ClosedRange<Int>)
    /// Bytes.
    case size
    /// A percentage.
    case share
    case duration
    /// One of these names, with an argument in parentheses.
    case call([String])

    /// A regular expression that the texts of the form match; nil for ``words(_:)``.
    public var pattern: String? {
        let number = "[0-9_]*\\.?[0-9_]+ *"
        switch self {
        case .words: return nil
        case .flag: return "^(true|false)$"
        case .whole: return "^[0-9]+$"
        case .size: return "^\(number)([kKmMgGtT][iI]?)?[bB]$"
        case .share: return "^\(number)%$"
        case .call(let names): return "^(\(names.joined(separator: "|")))\\([^()]+\\)$"
        case .duration: return "^\(number)(us|ms|s|min|h|d)$"
        }
    }
}
