import Basics
import Foundation
import Testing

@Suite("Numbers in fixed notation")
struct FixedNotationTests {
    @Test("Ties go to the even digit of the exact value, as printf has it")
    func ties() {
        #expect([0.5, 1.5, 2.5, -0.5].map { $0.fixed(0) } == ["0", "2", "2", "-0"])
        #expect([0.125, 0.375, 2.675].map { $0.fixed(2) } == ["0.12", "0.38", "2.67"])
        #expect([1.0, 12.34, -0.0].map { $0.fixed(6) } == ["1.000000", "12.340000", "-0.000000"])
    }

    @Test("The text is that of Foundation's String(format:)", arguments: [0, 1, 2, 3, 6, 9])
    func format(places: Int) {
        var generator = SplitMix64(seed: 7)
        var numbers: [Double] = [
            0, -0.0, 1, 1e15, 1e16, 1e17, 1e18, 1e19, 1e22, 1e300, -1e300, 5e-324, 1e-300, 0x1p62, 0x1p-11, 0x1p-64,
            0x1p-63, 0x1p-65, .greatestFiniteMagnitude, .leastNormalMagnitude, 999_999.999_999_5, 0.999_999_9,
        ]
        for exponent in -80...70 {
            for _ in 0..<200 {
                numbers.append(Double(sign: .plus, exponent: exponent, significand: 1 + generator.fraction()))
            }
        }
        // Halves of the last digit, which most doubles are near and some are exactly.
        for number in 0..<2_000 { numbers.append((Double(number) + 0.5) / pow(10, Double(places))) }
        for number in 0..<2_000 { numbers.append(Double(number) / 1_024) }
        let wrong = numbers.flatMap { [$0, -$0] }.filter { $0.fixed(places) != String(format: "%.\(places)f", $0) }
        #expect(wrong == [])
    }

    @Test("Values that are not numbers are written as printf writes them")
    func notNumbers() { #expect([Double.infinity, -.infinity].map { $0.fixed(1) } == ["inf", "-inf"]) }
}
