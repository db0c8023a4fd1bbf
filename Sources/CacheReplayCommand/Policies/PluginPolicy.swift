import CPolicyPlugin
import CachePolicies

/// A policy of a ``PluginLibrary``, with a record of the objects that it claims to hold.
///
/// The first contradiction is reported to the library and ends the policy: from then on it holds nothing. The interface
/// has no function for the next victim, so a plugin is not `VictimOrdered`.
struct PluginPolicy: CachePolicy {
    private let library: PluginLibrary
    private let limits: Limits
    private let parameters: [Double]
    private var instance: Instance
    private var books = Books()

    init(_ library: PluginLibrary, _ limits: Limits, _ parameters: [Double]) throws {
        self.library = library
        self.limits = limits
        self.parameters = parameters
        instance = Instance(library.functions, limits, parameters)
        guard instance.policy != nil else {
            throw PluginError(
                kind: .unusable, library: library.path,
                message: "creates no policy '\(library.name)' with these limits and parameters")
        }
    }

    var occupancy: Occupancy { books.occupancy }

    func contains(_ object: Int) -> Bool { books.isHeld[object] != 0 }

    mutating func reserve(_ count: Int) {
        books.reserve(count)
        guard let policy = instance.policy else { return }
        if library.functions.reserve(policy, UInt64(count)) != 0 { stop("had no room for \(count) objects") }
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard let policy = instance.policy else { return .miss }
        var request = cachereplay_access(access)
        let answer = library.functions.lookup(policy, &request)
        guard answer == CInt(books.isHeld[access.object]) else {
            stop(
                answer == 0
                    ? "denies that it holds object \(access.object), which it has admitted and not evicted"
                    : "answers the lookup of object \(access.object), which it does not hold, with \(answer)")
            return .miss
        }
        return answer == 1 ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        guard let policy = instance.policy else { return false }
        if contains(access.object) { books.leave(access.object) }
        books.enter(access.object, access.size)
        var request = cachereplay_access(access)
        books.victims.removeAll(keepingCapacity: true)
        let answer = withUnsafeMutablePointer(to: &books) { books in
            library.functions.admit(
                policy, &request,
                { context, object in
                    // The context points to the books while this call runs.
                    context?.assumingMemoryBound(to: Books.self).pointee.victims.append(object)
                }, books)
        }
        for victim in books.victims {
            guard victim < UInt64(books.isHeld.count), contains(Int(victim)) else {
                stop("evicts object \(victim), which it does not hold")
                return false
            }
            books.leave(Int(victim))
            sink.evicted(Int(victim), .capacity)
        }
        switch answer {
        case 0: if contains(access.object) { books.leave(access.object) }
        case 1 where contains(access.object): break
        case 1:
            stop("evicts object \(access.object) while it admits it, and claims to hold it")
            return false
        default:
            stop("answers the admission of object \(access.object) with \(answer), where 0 or 1 is expected")
            return false
        }
        guard books.occupancy.bytes <= limits.bytes, books.occupancy.objects <= limits.objects else {
            stop("holds \(books.occupancy.bytes) bytes in \(books.occupancy.objects) objects, more than it may")
            return false
        }
        return answer == 1
    }

    mutating func remove(_ object: Int) {
        guard let policy = instance.policy else { return }
        if contains(object) { books.leave(object) }
        library.functions.remove(policy, UInt64(object))
    }

    /// The interface has no such function, so a new policy replaces the old one.
    mutating func clear() {
        let count = books.isHeld.count
        books = Books()
        instance = Instance(library.functions, limits, parameters)
        reserve(count)
    }

    private mutating func stop(_ violation: String) {
        library.report(violation)
        let count = books.isHeld.count
        books = Books()
        books.reserve(count)
        instance = Instance()
    }

    /// The objects that the policy claims to hold.
    private struct Books {
        var isHeld = UncheckedArray<UInt8>(repeating: 0)
        var sizes = UncheckedArray<Int>(repeating: 0)
        var occupancy = Occupancy()
        var victims: [UInt64] = []

        mutating func reserve(_ count: Int) {
            isHeld.reserve(count)
            sizes.reserve(count)
        }

        mutating func enter(_ object: Int, _ size: Int) {
            isHeld[object] = 1
            sizes[object] = size
            occupancy.objects += 1
            occupancy.bytes += size
        }

        mutating func leave(_ object: Int) {
            isHeld[object] = 0
            occupancy.objects -= 1
            occupancy.bytes -= sizes[object]
        }
    }

    /// Owns the library's policy, and frees it with the last copy.
    private final class Instance {
        let policy: UnsafeMutableRawPointer?
        private let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

        init() {
            policy = nil
            free = { _ in }
        }

        init(_ functions: PluginFunctions, _ limits: Limits, _ parameters: [Double]) {
            var request = cachereplay_limits(
                bytes: limits.bytes == .max ? .max : UInt64(limits.bytes),
                objects: limits.objects == .max ? .max : UInt64(limits.objects))
            policy = functions.create(&request, parameters)
            free = functions.free
        }

        deinit { if let policy { free(policy) } }
    }
}

extension cachereplay_access {
    fileprivate init(_ access: Access) {
        self.init(object: UInt64(access.object), size: UInt64(access.size), time: access.time, variant: access.variant)
    }
}
