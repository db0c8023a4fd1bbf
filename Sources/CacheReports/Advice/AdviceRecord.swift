import Advising

/// An advice as JSON: its figures, what it says with the figures behind each sentence, and the code of its settings.
package struct AdviceRecord: Encodable {
    private let advice: Advice

    package init(_ advice: Advice) { self.advice = advice }

    private enum Key: CodingKey { case findings, settings, why }

    package func encode(to encoder: any Encoder) throws {
        try advice.encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode((advice.findings + advice.searched + advice.exempt).map(Said.init), forKey: .findings)
        try values.encode(advice.settings, forKey: .settings)
        try values.encodeIfPresent(advice.why, forKey: .why)
    }

    /// A finding over all users.
    private struct Said: Encodable {
        struct Evidence: Encodable {
            var cache: String
            var metric: String
            var value: Double
        }

        let subject: String
        let text: String
        let caches: [String]
        let evidence: [Evidence]

        init(_ finding: Finding) {
            subject = finding.subject.rawValue
            text = finding.text
            caches = finding.caches
            evidence = finding.evidence.map { Evidence(cache: $0.cache, metric: $0.metric, value: $0.value) }
        }
    }
}
