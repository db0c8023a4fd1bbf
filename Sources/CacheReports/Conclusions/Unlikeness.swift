import Basics
import ResultColumns

/// The differences that people notice between caches that tie in blank time.
///
/// Peaks of memory differ if the least is below two thirds of the largest, and hitches if they have another class.
struct Unlikeness {
    /// `and differ in peak memory (54 MB to 2.43 GB) and in hitches (0 ms/s to 8.95 ms/s)`; empty for caches that do
    /// not differ.
    let text: String
    let evidence: [Finding.Evidence]

    var isEmpty: Bool { text.isEmpty }

    /// - Parameters:
    ///   - peaks: The largest bytes in memory, of each cache that has the figure.
    ///   - hitches: The delay of frames in milliseconds for each second of scrolling, of each cache that has it.
    init(peaks: [Finding.Evidence], hitches: [Finding.Evidence]) {
        var parts: [String] = []
        var evidence: [Finding.Evidence] = []
        func add(_ name: String, _ figures: [Finding.Evidence], _ unit: Unit, if differ: (Double, Double) -> Bool) {
            guard let least = figures.min(by: { $0.value < $1.value }),
                let most = figures.max(by: { $0.value < $1.value }), differ(least.value, most.value)
            else { return }
            parts.append("\(name) (\(HumanText.figure(least.value, unit)) to \(HumanText.figure(most.value, unit)))")
            evidence += [least, most]
        }
        add("peak memory", peaks, .bytes) { $0 < $1 * 2 / 3 }
        add("hitches", hitches, .millisecondsPerSecond) { HitchClass($0) != HitchClass($1) }
        text = parts.isEmpty ? "" : "and differ in \(parts.joined(separator: " and in "))"
        self.evidence = evidence
    }
}

/// How much people notice of hitches, by Apple's scale for scrolling ("Eliminate animation hitches with XCTest", WWDC
/// 2020), in milliseconds of delay for each second.
enum HitchClass: Hashable {
    case good, noticeable, critical

    static let noticeableFrom = 5
    static let criticalFrom = 10

    init(_ rate: Double) {
        self = rate < Double(Self.noticeableFrom) ? .good : rate < Double(Self.criticalFrom) ? .noticeable : .critical
    }
}
