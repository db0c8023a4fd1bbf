/// A shared library that is no policy, or not one of this version.
public struct PluginError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        case notFound
        /// Found, and of no use.
        case unusable
        /// Used, and found to contradict itself.
        case misbehaved
    }

    public var kind: Kind
    public var library: String
    public var message: String

    public var description: String { "\(library): \(message)" }
}
