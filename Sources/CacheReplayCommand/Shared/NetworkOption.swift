import ArgumentParser
import Basics

/// Parsers for the values of network options: `80ms`, `4Mbps` and `1%`.
enum NetworkOption {
    /// Returns a duration in seconds.
    static func duration(_ text: String) throws -> Double {
        guard let time = try? TimeSpan.microseconds(text), time < 60_000_000 else {
            throw ValidationError("'\(text)' is not a time such as 80ms or 0.5s.")
        }
        return Double(time) / 1e6
    }

    /// Returns a rate in bytes per second. `bps` units are bits and `B/s` units are bytes, both with factors of 1,000.
    static func rate(_ text: String) throws -> Double {
        let units = [
            ("Gbps", 125e6), ("Mbps", 125e3), ("kbps", 125), ("Kbps", 125), ("bps", 0.125), ("MB/s", 1e6),
            ("KB/s", 1e3), ("kB/s", 1e3),
        ]
        let rate = try number(text, units, "a rate such as 4Mbps or 500KB/s", below: 1e12)
        guard rate >= 125 else {
            throw ValidationError("\(text) is below 1kbps, which is too slow for images. Choose a higher rate.")
        }
        return rate
    }

    /// Returns a share from 0 to 0.9.
    static func share(_ text: String) throws -> Double {
        try number(text, [("%", 0.01), ("", 1)], "a share below 90%, such as 1%", below: 0.9)
    }

    private static func number(
        _ text: String, _ units: [(name: String, factor: Double)], _ wanted: String, below limit: Double
    ) throws -> Double {
        for unit in units where text.hasSuffix(unit.name) {
            guard let value = Double(text.dropLast(unit.name.count)), value >= 0, value * unit.factor < limit else {
                continue
            }
            return value * unit.factor
        }
        throw ValidationError("'\(text)' is not \(wanted).")
    }
}
