import Advising

/// An advice as JSON: its figures, the code of its settings, and the sentence on causes.
package struct AdviceRecord: Encodable {
    private let advice: Advice

    package init(_ advice: Advice) { self.advice = advice }

    private enum Key: CodingKey { case settings, why }

    package func encode(to encoder: any Encoder) throws {
        try advice.encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(advice.settings, forKey: .settings)
        try values.encodeIfPresent(advice.why, forKey: .why)
    }
}
