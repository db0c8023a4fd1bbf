import CachePolicies
import Foundation
import ReplayEngine

/// A cache as the option `--cache` takes it: a specification, `NAME=SPECIFICATION`, or a program as `own=PATH`.
///
/// The name ends at the first `=`, which no specification contains.
package struct CacheOption: Sendable, Equatable {
    /// The name in results; nil if that is the specification. It is empty in `=lru(20MB)`, which is a mistake.
    package let name: String?
    package let specification: String
    /// The number of characters by which a place of ``specification`` is further behind in the text.
    package let offset: Int

    package init(_ text: String) {
        // A path is a program: own=./my-cache. Every other own=SPEC gives a cache the name own.
        if text.hasPrefix("own:") || text.hasPrefix("own=") && text.contains("/") {
            name = text
            specification = "own: \(text.dropFirst(4))"
        } else {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            name = sides.count == 2 ? sides[0].trimmingCharacters(in: .whitespaces) : nil
            specification = sides.last.map { String($0) } ?? text
        }
        offset = text.count - specification.count
    }

    /// Returns the cache.
    ///
    /// - Throws: `SpecError`, whose place is in ``specification``.
    package func configuration(registry: PolicyRegistry) throws -> CacheConfiguration {
        try CacheConfiguration(specification: specification, name: name, registry: registry)
    }
}
