import CachePolicies

/// Requests as columns, as the kernel reads them.
struct TestColumns {
    var objects: [UInt32]
    /// By object; empty: all have the size 1.
    var sizes: [Int] = []
    /// Microseconds behind 1,000, by request; empty: there are no times.
    var times: [UInt32] = []
    /// By object; empty: full images.
    var variants: [UInt8] = []

    /// Lets the kernel run a policy over the requests.
    func run(_ policy: inout some CachePolicy) -> SimulationCounts {
        var counts = SimulationCounts()
        let nexts = laterPositions(objects.map(Int.init)).map { $0 == .max ? UInt32.max : UInt32($0) }
        nexts.withUnsafeBufferPointer { nexts in
            objects.withUnsafeBufferPointer { objects in
                sizes.withUnsafeBufferPointer { sizes in
                    times.withUnsafeBufferPointer { times in
                        variants.withUnsafeBufferPointer { variants in
                            guard let base = objects.baseAddress else { return }
                            let columns = RequestColumns(
                                objects: base, times: times.isEmpty ? nil : times.baseAddress, epoch: 1_000,
                                sizes: sizes.isEmpty ? nil : sizes.baseAddress,
                                variants: variants.isEmpty ? nil : variants.baseAddress, nexts: nexts.baseAddress)
                            policy.run(columns, 0..<objects.count, into: &counts)
                            counts.requestBytes = columns.bytes(of: 0..<objects.count)
                        }
                    }
                }
            }
        }
        return counts
    }
}

/// As ``nextPositions(_:)``, for long sequences.
func laterPositions(_ objects: [Int]) -> [Int] {
    var following: [Int: Int] = [:]
    var nexts = [Int](repeating: .max, count: objects.count)
    for index in objects.indices.reversed() {
        nexts[index] = following[objects[index]] ?? .max
        following[objects[index]] = index
    }
    return nexts
}
