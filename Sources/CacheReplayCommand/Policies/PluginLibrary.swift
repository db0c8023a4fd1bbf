import CPolicyPlugin
import CachePolicies
import Foundation
import Synchronization

/// A policy in a shared library with the C interface of `cachereplay_plugin.h`.
///
/// A library stays loaded for as long as the process runs: its functions may be called at any time.
public final class PluginLibrary: Sendable {
    public let path: String
    public let name: String
    let functions: PluginFunctions
    private let parameters: [(label: String, value: Double)]
    private let firstViolation = Mutex<String?>(nil)

    /// Loads the library at `path`.
    ///
    /// - Throws: A ``PluginError`` that says what is missing or wrong.
    public init(path: String) throws {
        func problem(_ message: String, _ kind: PluginError.Kind = .unusable) -> PluginError {
            PluginError(kind: kind, library: path, message: message)
        }
        guard FileManager.default.fileExists(atPath: path) else { throw problem("there is no such file", .notFound) }
        // An absolute path, because the system searches a bare name among its own libraries.
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
                was compiled for version \(version) of cachereplay_plugin.h, and this cachereplay has version \
                \(expected); compile it again
                """
            )
        }
        functions = try PluginFunctions(symbols)
        let name = try symbols.function("cachereplay_name", as: Text.self)().map { String(cString: $0) } ?? ""
        guard name.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil else {
            throw problem(
                """
                names its policy '\(name)'; a name consists of lower-case letters, digits and hyphens, and begins with \
                a \
                letter
                """
            )
        }
        self.name = name
        let text = symbols.optional("cachereplay_parameters", as: Text.self)?().map { String(cString: $0) } ?? ""
        guard let parameters = Self.parameters(text) else {
            throw problem(
                "describes its parameters as '\(text)'; write them like 'small: 0.1, threshold: 2'")
        }
        self.parameters = parameters
    }

    public var entry: PolicyEntry {
        PolicyEntry(
            name, "From \(path).", parameters: [.limits] + parameters.map { .number($0.label, default: $0.value) }
        ) { [self] arguments in
            try PluginPolicy(self, arguments.limits(), parameters.map { try arguments.number($0.label) })
        }
    }

    /// Checks that no policy of the library has contradicted itself.
    ///
    /// - Throws: A ``PluginError`` with the first contradiction. Results of the policy must not be used then.
    public func check() throws {
        guard let message = firstViolation.withLock({ $0 }) else { return }
        throw PluginError(kind: .misbehaved, library: path, message: "the policy '\(name)' \(message)")
    }

    func report(_ violation: String) {
        firstViolation.withLock { $0 = $0 ?? violation }
    }

    /// Reads `small: 0.1, threshold: 2`, and returns nil if the text has another form.
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
                message: "has no function '\(name)'; cachereplay_plugin.h lists the functions of a policy")
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

/// A shared library cannot be used as a policy, or its policy contradicted itself.
public struct PluginError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        case notFound
        /// The file is not a policy of this version.
        case unusable
        /// The policy contradicted itself.
        case misbehaved
    }

    public var kind: Kind
    public var library: String
    public var message: String

    public var description: String { "\(library): \(message)" }
}
