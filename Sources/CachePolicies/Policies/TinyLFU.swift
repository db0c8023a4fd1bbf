/// An admission rule by frequency: a new object enters only if it was recently requested more often than the object
/// that would leave for it.
///
/// Source: Einziger, Friedman, Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on Storage
/// 13(4), 2017. A ``FrequencySketch`` estimates how often objects were requested; its documentation says what it omits.
///
/// Details that the paper leaves open:
/// - While there is room every object enters. The ``ObservedCapacity`` says whether there is room.
/// - Only the first victim is compared, also if a large object would evict several.
/// - If no held object would leave, because the inner policy would evict the new object itself, the new object enters
///   if it was recently requested at least twice.
struct TinyLFU<Inner: TimedPolicy & VictimOrdered>: AdmissionRule {
    var sketch: FrequencySketch
    var capacity = ObservedCapacity()

    init(sample: Int) { sketch = FrequencySketch(sample: sample) }

    mutating func reserve(_ count: Int) {}

    mutating func note(_ access: Access) { sketch.record(access.object) }

    mutating func admits(_ access: Access, to policy: inout Inner) -> Bool {
        if capacity.fits(access.size, beside: policy.occupancy) { return true }
        let frequency = sketch.estimate(access.object)
        guard let victim = policy.nextVictim() else { return frequency >= 2 }
        return frequency > sketch.estimate(victim)
    }

    mutating func learn(_ admitted: Admitted) {
        capacity.learn(admitted)
        sketch.expect(admitted.after.objects)
    }

    mutating func reset() {
        sketch.removeAll()
        capacity = ObservedCapacity()
    }
}

enum TinyLFUPolicy {
    static let entry = PolicyEntry(
        "tinylfu", "Before another policy: admits an object that was requested more often than the next victim.",
        parameters: [.policy(nil), .integer("sample", default: 10)]
    ) { arguments in
        let sample = try arguments.integer("sample", in: 1...Int.max)
        func place<Inner: TimedPolicy & VictimOrdered>(_ inner: Inner) -> any CachePolicy {
            Admission(TinyLFU<Inner>(sample: sample), before: inner)
        }
        guard let inner = try arguments.policy(nil).timed() as? any TimedPolicy & VictimOrdered else {
            throw arguments.error(
                """
                tinylfu compares objects with the next victim of its policy, and this policy names none; use bloom(…), \
                or put tinylfu inside split(…)
                """, at: nil)
        }
        return place(inner)
    }
}
