import CachePolicies
import CacheReplayCommand
import Foundation
import TestSupport
import Testing

@Suite("Policies in shared libraries", .enabled(if: OwnPolicyCommandTests.compiler != nil))
struct PluginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Builds the library of a C file; `options` go to the compiler.
    private func library(_ source: String, _ options: [String] = []) throws -> PluginLibrary {
        let library = folder.url("\(UUID()).so").path
        try OwnPolicyCommandTests.compile(source, to: library, options)
        return try PluginLibrary(path: library)
    }

    private static let example = "Examples/Plugin/second_chance.c"

    private func context(_ library: PluginLibrary) -> PolicyContext {
        PolicyContext(registry: .builtIn.adding(library.entry))
    }

    /// The requests of `objects` with sizes 1 + number % 5.
    private func counts(_ specification: String, _ context: PolicyContext, _ objects: [UInt32]) throws
        -> SimulationCounts
    {
        var policy = try context.policy(specification)
        policy.reserve(64)
        var counts = SimulationCounts()
        let sizes = (0..<64).map { 1 + $0 % 5 }
        objects.withUnsafeBufferPointer { objects in
            sizes.withUnsafeBufferPointer { sizes in
                guard let base = objects.baseAddress else { return }
                policy.run(RequestColumns(objects: base, sizes: sizes.baseAddress), 0..<objects.count, into: &counts)
            }
        }
        return counts
    }

    private static let requests: [UInt32] = {
        var state: UInt32 = 9
        return (0..<20_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return (state >> 16) % 64 * ((state >> 24) % 64) / 64
        }
    }()

    @Test("The example in C runs like a built-in policy")
    func example() throws {
        let library = try self.library(Self.example)
        #expect(library.name == "second-chance")
        let context = context(library)
        // Room for three: 0 was used and goes round, so that 1 leaves for 3; then 2 leaves for 1.
        let story: [UInt32] = [0, 5, 10, 0, 15, 0, 5]
        let counts = try counts("second-chance(3 objects)", context, story)
        #expect(counts.misses == 5)
        #expect(counts.evictions == 2)
        for limits in ["1 objects", "20 objects", "60B", "60B, 10 objects", "0 objects"] {
            let mine = try self.counts("second-chance(\(limits))", context, Self.requests)
            let fifo = try self.counts("fifo(\(limits))", context, Self.requests)
            #expect(mine.misses <= fifo.misses, "\(limits)")
            #expect(mine.requests == fifo.requests)
        }
        try library.check()
        #expect(
            try context.canonical("ttl(second-chance(9 objects), lifetime: 1s)").hasPrefix(
                "ttl(second-chance(9 objects)"))
    }

    @Test("After clear a policy is as new, and a removed object leaves no trace")
    func removal() throws {
        let library = try self.library(Self.example)
        var policy = try context(library).policy("second-chance(3 objects)")
        policy.reserve(8)
        var evictions = EvictionList()
        for object in [0, 1, 2] { #expect(policy.admit(Access(object: object, size: 1), &evictions)) }
        policy.remove(1)
        #expect(policy.occupancy.objects == 2)
        #expect(policy.admit(Access(object: 3, size: 1), &evictions))
        #expect(evictions.victims.isEmpty)
        policy.clear()
        #expect(policy.occupancy == Occupancy())
        #expect(policy.lookup(Access(object: 0, size: 1), &evictions) == .miss)
        try library.check()
    }

    /// A policy that is right, with a place for something wrong.
    private func broken(_ options: String...) throws -> PluginLibrary {
        let source = try folder.file(
            "\(UUID()).c",
            """
            #include "cachereplay_plugin.h"
            #include <stddef.h>
            #ifndef VERSION
            #define VERSION CACHEREPLAY_PLUGIN_VERSION
            #endif
            #ifndef NAME
            #define NAME "mine"
            #endif
            #ifndef LOOKUP
            #define LOOKUP 0
            #endif
            #ifndef ADMIT
            #define ADMIT 0
            #endif
            #ifndef EVICTED
            #define EVICTED
            #endif
            #ifndef CREATE
            #define CREATE &state
            #endif
            static int state;
            uint32_t cachereplay_version(void) { return VERSION; }
            const char *cachereplay_name(void) { return NAME; }
            #ifdef PARAMETERS
            const char *cachereplay_parameters(void) { return PARAMETERS; }
            #endif
            void *cachereplay_create(const cachereplay_limits *limits, const double *parameters) { return CREATE; }
            int cachereplay_reserve(void *policy, uint64_t count) { return 0; }
            int cachereplay_lookup(void *policy, const cachereplay_access *access) { return LOOKUP; }
            #ifndef NO_ADMIT
            int cachereplay_admit(void *policy, const cachereplay_access *access, cachereplay_evict evict, void \
            *context) { EVICTED; return ADMIT; }
            #endif
            void cachereplay_remove(void *policy, uint64_t object) {}
            void cachereplay_free(void *policy) {}
            """)
        return try library(source, options.map { "-D\($0)" })
    }

    @Test(
        "The error for an unusable library says what is missing",
        arguments: [
            ("VERSION=7", "compiled for version 7"), ("NO_ADMIT", "no function 'cachereplay_admit'"),
            ("NAME=\"Mine!\"", "lower-case letters"),
            ("NAME=NULL", "names its policy ''"), ("PARAMETERS=\"small\"", "write them like 'small: 0.1"),
        ])
    func unusable(option: String, expected: String) throws {
        let error = #expect(throws: PluginError.self) { try broken(option) }
        #expect(error?.kind == .unusable)
        #expect(error?.message.contains(expected) == true, "\(error?.description ?? "no error")")
    }

    @Test("A file that is not a library is refused")
    func noLibrary() throws {
        let text = try folder.file("policy.so", "no library")
        #expect(throws: PluginError.self) { try PluginLibrary(path: text) }
        let error = #expect(throws: PluginError.self) { try PluginLibrary(path: folder.url("absent.so").path) }
        #expect(error?.kind == .notFound)
    }

    @Test(
        "A policy that contradicts itself is stopped, and the error describes the contradiction",
        arguments: [
            ("LOOKUP=1", "which it does not hold, with 1"), ("LOOKUP=-3", "with -3"),
            ("ADMIT=5", "with 5, where 0 or 1 is expected"),
            ("ADMIT=1", "denies that it holds object"),
            ("EVICTED=evict(context, 99999999999)", "evicts object 99999999999"),
            ("EVICTED=evict(context, 63)", "evicts object 63"),
        ])
    func misbehaviour(option: String, expected: String) throws {
        let library = try broken(option)
        let counts = try counts("mine(4 objects)", context(library), [0, 0, 1, 2, 3, 4, 5, 6])
        #expect(counts.requests == 8)
        let error = #expect(throws: PluginError.self) { try library.check() }
        #expect(error?.kind == .misbehaved)
        #expect(error?.message.contains(expected) == true, "\(error?.description ?? "no error")")
    }

    @Test("A policy that exceeds its limits is stopped")
    func greedy() throws {
        let library = try broken("ADMIT=1")
        _ = try counts("mine(4 objects)", context(library), [0, 1, 2, 3, 4])
        let error = #expect(throws: PluginError.self) { try library.check() }
        #expect(error?.message.contains("5 objects, more than it may") == true)
    }

    @Test("A library that creates no policy with these limits is an error")
    func nothingMade() throws {
        let library = try broken("CREATE=NULL")
        let error = #expect(throws: PluginError.self) { try context(library).policy("mine(4 objects)") }
        #expect(error?.message.contains("creates no policy 'mine'") == true)
    }

    @Test("Parameters come in their order, with their defaults")
    func parameters() throws {
        let library = try broken(
            "PARAMETERS=\"small: 0.25, threshold: 2\"",
            "CREATE=parameters[0] == 0.25 && parameters[1] == 3 ? &state : NULL")
        let context = context(library)
        #expect(try context.canonical("mine(1MB, threshold: 3)") == "mine(1MB, small: 0.25, threshold: 3)")
        _ = try context.policy("mine(1MB, threshold: 3)")
        #expect(throws: PluginError.self) { try context.policy("mine(1MB)") }
        #expect(throws: SpecError.self) { try context.policy("mine(1MB, big: 3)") }
    }
}
