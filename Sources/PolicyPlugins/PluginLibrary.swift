import CPolicyPlugin
import CachePolicies
import Foundation
import Synchronization

/// A policy in a shared library with the C interface of `cachereplay_plugin.h`.
///
/// A library stays loaded for as long as the process runs: its functions may be called at any time.
public final class PluginLibrary: Sendable {
    public let path: String
    /// What specifications call the policy.
    public let name: String
    let functions: PluginFunctions
    private let parameters: [(label: String, value: Double)]
    private let firstViolation = Mutex<String?>(nil)

    /// Loads the library at `path`. Throws a ``PluginError`` that says what is missing or wrong.
    public init(path: String) throws {
        func problem(_ message: String, _ kind: PluginError.Kind = .unusable) -> PluginError {
            PluginError(kind: kind, library: path, message: message)
        }
        guard FileManager.default.fileExists(atPath: path) else { throw problem("there is no such file", .notFound) }
        // An absolute path: a bare name would be looked for among the system's libraries.
        guard let handle = dlopen(URL(fileURLWithPath: path).path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
            throw problem("cannot be loaded as a shared library: \(reason)")
        }
        self.path = path
        typealias Version = @convention(c) () -> UInt32
        typealias Text = @convention(c) () -> UnsafePointer<CChar>?
        let symbols = PluginSymbols(handle: handle, library: path)
        let version = try symbols.function("cachereplay_version", as: Version.self)()
        let expected = UInt32(CACHEREPLAY_PLUGIN_VERSION)
        guard version == expected else {
            throw problem(
                """
                is made for version \(version) of cachereplay_plugin.h, and this cachereplay has version \(expected): \
                compile it again
                """
            )
        }
        functions = try PluginFunctions(symbols)
        let name = try symbols.function("cachereplay_name", as: Text.self)().map { String(cString: $0) } ?? ""
        guard name.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil else {
            throw problem(
                """
                calls its policy '\(name)': a name is made of small letters, digits and hyphens, and begins with a \
                letter
                """
            )
        }
        self.name = name
        let text = symbols.optional("cachereplay_parameters", as: Text.self)?().map { String(cString: $0) } ?? ""
        guard let parameters = Self.parameters(text) else {
            throw problem(
                "says that its parameters are '\(text)', where something like 'small: 0.1, threshold: 2' is expected")
        }
        self.parameters = parameters
    }

    /// The registry's line for the policy.
    public var entry: PolicyEntry {
        PolicyEntry(
            name, "From \(path).", parameters: [.limits] + parameters.map { .number($0.label, default: $0.value) }
        ) { [self] arguments in
            try PluginPolicy(self, arguments.limits(), parameters.map { try arguments.number($0.label) })
        }
    }

    /// Throws if any policy of the library has contradicted itself: figures made with it are not to be used.
    public func check() throws {
        guard let message = firstViolation.withLock({ $0 }) else { return }
        throw PluginError(kind: .misbehaved, library: path, message: "the policy '\(name)' \(message)")
    }

    func report(_ violation: String) {
        firstViolation.withLock { $0 = $0 ?? violation }
    }

    /// `small: 0.1, threshold: 2`; nil where that is not what it is.
    private static func parameters(_ text: String) -> [(label: String, value: Double)]? {
        var parameters: [(label: String, value: Double)] = []
        for part in text.split(separator: ",") {
            guard let match = part.wholeMatch(of: /\s*([a-z][A-Za-z0-9]*)\s*:\s*([0-9.]+)\s*/),
                let value = Double(match.2)
            else { return nil }
            parameters.append((String(match.1), value))
        }
        return parameters
    }
}

/// Finds a library's functions.
struct PluginSymbols {
    let handle: UnsafeMutableRawPointer
    let library: String

    /// `type` is the type that `cachereplay_plugin.h` declares for `name`.
    func optional<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }

    func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let function = optional(name, as: type) else {
            throw PluginError(
                kind: .unusable, library: library,
                message: "has no function '\(name)': see cachereplay_plugin.h for those that a policy is made of")
        }
        return function
    }
}

/// The functions of a policy, by the names and types of `cachereplay_plugin.h`.
struct PluginFunctions: Sendable {
    typealias Evict = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void

    let create: @convention(c) (UnsafePointer<cachereplay_limits>?, UnsafePointer<Double>?) -> UnsafeMutableRawPointer?
    let reserve: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> CInt
    let lookup: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<cachereplay_access>?) -> CInt
    let admit:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<cachereplay_access>?, Evict?, UnsafeMutableRawPointer?)
            -> CInt
    let remove: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    init(_ symbols: PluginSymbols) throws {
        create = try symbols.function("cachereplay_create", as: type(of: create))
        reserve = try symbols.function("cachereplay_reserve", as: type(of: reserve))
        lookup = try symbols.function("cachereplay_lookup", as: type(of: lookup))
        admit = try symbols.function("cachereplay_admit", as: type(of: admit))
        remove = try symbols.function("cachereplay_remove", as: type(of: remove))
        free = try symbols.function("cachereplay_free", as: type(of: free))
    }
}

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
