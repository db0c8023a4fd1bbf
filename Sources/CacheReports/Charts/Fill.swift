import Foundation

/// The colours of areas, which charts and pages share. Images from memory, from disk and over the network have cool
/// colours. Blank time has warm ones.
///
/// The raw value is the name of a colour. The relative luminances of any two colours with different steps have a
/// contrast of at least 1.5, so that neighbours differ in grey prints too. A chart uses each step at most once.
enum Fill: String, Sendable, CaseIterable {
    // Where an image came from, or that it came too late or never.
    case memory, disk, network
    case late, never
    /// The picture of another key, in no other use.
    case wrong
    // How soon an image was there.
    case within16ms, within100ms, within1s
    // Causes and waits.
    case slate, violet, teal, gold, grey
    /// The rest of a whole.
    case pale

    /// The colour as `#RRGGBB`, on white and on dark paper.
    var colour: String {
        switch self {
        case .wrong: "#600018"
        case .slate: "#242C3D"
        case .memory: "#16497F"
        case .within16ms: "#095240"
        case .violet: "#653080"
        case .never: "#B6330C"
        case .disk: "#3484C5"
        case .within100ms: "#2A8F6E"
        case .teal: "#238D8A"
        case .late: "#EC860A"
        case .gold: "#C49A10"
        case .network: "#9ACCDD"
        case .within1s: "#95D1B3"
        case .grey: "#C0C5CE"
        case .pale: "#EDEFF3"
        }
    }

    /// The colour of text on the area: the one with more contrast. It is not `#000000`, which is white on dark paper.
    var ink: String { Self.luminance(colour) + 0.05 < 0.2291 ? "#ffffff" : "#010101" }

    /// Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
    static func contrast(_ one: String, _ other: String) -> Double {
        let luminances = [luminance(one), luminance(other)]
        return ((luminances.max() ?? 0) + 0.05) / ((luminances.min() ?? 0) + 0.05)
    }

    /// Returns the relative luminance of a colour `#RRGGBB`, from 0 to 1 (WCAG 2.2, "relative luminance").
    private static func luminance(_ colour: String) -> Double {
        let number = Int(colour.dropFirst(), radix: 16) ?? 0
        let weighted = [(16, 0.2126), (8, 0.7152), (0, 0.0722)].map { shift, weight -> Double in
            let share = Double(number >> shift & 0xFF) / 255
            return weight * (share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4))
        }
        return weighted.reduce(0, +)
    }
}
