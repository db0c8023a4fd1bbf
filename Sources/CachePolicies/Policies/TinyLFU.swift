/// TinyLFU as an admission: a newcomer enters only if it was asked for more often, lately, than the one who would leave
/// for it.
///
/// Source: Einziger, Friedman, Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on Storage
/// 13(4), 2017. How often objects were asked for says a ``FrequencySketch``, see there for what it leaves out.
///
/// Details that the paper leaves open:
/// - While there is room everybody enters. Whether there is tells the ``ObservedCapacity``.
/// - Only the first victim is compared, also where a large newcomer would push out several.
/// - Where the policy cannot tell its next victim, a newcomer enters if it was asked for at least twice lately.
struct TinyLFU: AdmissionRule {
    var sketch: FrequencySketch
    var capacity = ObservedCapacity()

    init(sample: Int) { sketch = FrequencySketch(sample: sample) }

    mutating func note(_ access: Access) { sketch.record(access.object) }

    mutating func admits(_ access: Access, to policy: inout some CachePolicy) -> Bool {
        if capacity.fits(access.size, beside: policy.occupancy) { return true }
        let frequency = sketch.estimate(access.object)
        guard let victim = policy.nextVictim() else { return frequency >= 2 }
        return frequency > sketch.estimate(victim)
    }

    mutating func settle(_ admitted: Admitted) {
        capacity.settle(admitted)
        sketch.expect(admitted.after.objects)
    }

    mutating func removeAll() {
        sketch.removeAll()
        capacity = ObservedCapacity()
    }
}

extension TinyLFU {
    static let entry = PolicyEntry(
        "tinylfu", "Before another policy: enters who was asked for more often than its next victim.",
        parameters: [.policy(nil), .integer("sample", default: 10)]
    ) { try TinyLFU(sample: try $0.integer("sample")).before($0) }
}
