/// Enters at the second request: objects that nobody asks for again never do. The first requests are remembered by a
/// ``RotatingBloomFilter``.
///
/// Source: Maggs and Sitaraman, Algorithmic Nuggets in Content Delivery, ACM Computer Communication Review 45(3), 2015.
/// A request is here what would be an admission: an object that has left may enter again at once for as long as the
/// filter remembers it.
struct BloomAdmission: AdmissionRule {
    var requested: RotatingBloomFilter

    mutating func admits(_ access: Access, to policy: inout some CachePolicy) -> Bool {
        requested.insert(access.object)
    }

    mutating func removeAll() { requested.removeAll() }
}

extension BloomAdmission {
    static let entry = PolicyEntry(
        "bloom",
        """
        Before another policy: enters who is requested again while among the last `window` to twice as many new objects.
        """,
        parameters: [.policy(nil), .integer("window", default: 100_000), .fraction("error", default: 0.01)]
    ) { arguments in
        let window = try arguments.integer("window")
        guard window <= 1_000_000_000 else {
            throw arguments.context.error(
                "window is at most 1000000000: its filters would take gigabytes", at: arguments.spec.column)
        }
        let filter = RotatingBloomFilter(window: window, error: try arguments.fraction("error"))
        return try BloomAdmission(requested: filter).before(arguments)
    }
}
