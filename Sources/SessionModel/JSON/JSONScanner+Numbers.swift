extension JSONScanner {
    /// A number as written: ±`magnitude` · 10^`exponent`.
    package struct Number {
        package var isNegative: Bool
        package var magnitude: UInt64
        package var exponent: Int
        /// Whether `magnitude` holds all digits.
        package var isExact: Bool
        package var range: Range<Int>
    }

    /// Reads a whole number of at most 64 bits, such as `12` or `1.5e3`.
    package mutating func integer() throws(JSONError) -> Int64 {
        let number = try number()
        var magnitude = number.magnitude
        var exponent = number.exponent
        while exponent < 0, magnitude % 10 == 0, magnitude > 0 {
            (magnitude, exponent) = (magnitude / 10, exponent + 1)
        }
        var overflow = false
        while exponent > 0, magnitude > 0, !overflow {
            (magnitude, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            exponent -= 1
        }
        if number.isExact, !overflow, exponent >= 0 || magnitude == 0 {
            if !number.isNegative, let value = Int64(exactly: magnitude) { return value }
            if number.isNegative, magnitude <= UInt64(Int64.max) { return -Int64(magnitude) }
        }
        throw JSONError(
            offset: number.range.lowerBound, message: "expected a whole number of at most 64 bits", isCutShort: false)
    }

    package mutating func double() throws(JSONError) -> Double {
        let number = try number()
        // Below 2^53 and 10^22 both factors are exact, so a single rounding gives the nearest Double (Clinger 1990).
        if number.isExact, number.magnitude <= 1 << 53, abs(number.exponent) < Self.powersOfTen.count {
            let magnitude = Double(number.magnitude)
            let power = Self.powersOfTen[abs(number.exponent)]
            let value = number.exponent < 0 ? magnitude / power : magnitude * power
            return number.isNegative ? -value : value
        }
        let digits = String(decoding: bytes[number.range], as: UTF8.self)
        guard let value = Double(digits), value.isFinite else {
            throw JSONError(
                offset: number.range.lowerBound, message: "expected a number within the range of Double",
                isCutShort: false)
        }
        return value
    }

    static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    package mutating func number() throws(JSONError) -> Number {
        skipWhitespace()
        var number = Number(isNegative: false, magnitude: 0, exponent: 0, isExact: true, range: position..<position)
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "-") {
            number.isNegative = true
            position += 1
        }
        let firstDigit = position
        try digits(into: &number, scale: 0)
        if position - firstDigit > 1, bytes[firstDigit] == UInt8(ascii: "0") {
            position = firstDigit
            throw JSONError(offset: firstDigit, message: "expected a number without leading zeros", isCutShort: false)
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits(into: &number, scale: -1)
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            var sign = 1
            if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
                sign = bytes[position] == UInt8(ascii: "-") ? -1 : 1
                position += 1
            }
            var exponent = Number(isNegative: false, magnitude: 0, exponent: 0, isExact: true, range: start..<start)
            try digits(into: &exponent, scale: 0)
            number.exponent += sign * Int(min(exponent.magnitude, 100_000))
        }
        number.range = start..<position
        return number
    }

    private mutating func digits(into number: inout Number, scale: Int) throws(JSONError) {
        let start = position
        while position < end {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if number.magnitude < 1_000_000_000_000_000_000 {
                number.magnitude = number.magnitude * 10 + UInt64(digit)
                number.exponent += scale
            } else {
                number.isExact = false
                number.exponent += scale + 1
            }
            position += 1
        }
        if position == start { throw expected("a digit") }
    }
}
