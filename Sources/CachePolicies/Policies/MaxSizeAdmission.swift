/// No object above a size enters: one large object would push out many small ones.
struct MaxSizeAdmission: AdmissionRule {
    let largest: Int

    func admits(_ access: Access, to policy: inout some CachePolicy) -> Bool { true }
}

extension MaxSizeAdmission {
    static let entry = PolicyEntry(
        "max-size", "Before another policy: no object above the limit enters.",
        parameters: [.policy(nil), .size("limit", default: "1MB")]
    ) { try MaxSizeAdmission(largest: try $0.size("limit")).before($0) }
}
