import Foundation

/// The scripts and data of charts in a folder. A script that a user has edited is kept.
enum ChartFiles {
    private static let mark = "# Checksum of the lines above, by which an edited script is recognised and kept: "

    /// Returns a script with its checksum as the last line.
    static func sealed(_ script: String) -> String { "\(script)\(mark)\(checksum(script))\n" }

    /// Returns whether a script differs from what the program wrote.
    ///
    /// Earlier versions wrote no checksum. A script without one that begins and ends as theirs counts as unedited.
    static func isEdited(_ script: String) -> Bool {
        guard let place = script.range(of: mark, options: .backwards) else {
            return !(script.contains("\n# Draws this chart again: gnuplot ") && script.hasSuffix("\nset output\n"))
        }
        return script[place.upperBound...] != "\(checksum(String(script[..<place.lowerBound])))\n"
    }

    /// Returns whether a file is an edited script.
    static func isEdited(file: String) -> Bool {
        guard file.hasSuffix(".gp"), let data = FileManager.default.contents(atPath: file) else { return false }
        return isEdited(String(decoding: data, as: UTF8.self))
    }

    /// Writes scripts and data. An edited script is kept, and `message` gets a sentence about it.
    /// - Returns: The charts with the scripts that are in the folder, each with the formats that its script draws.
    static func write(
        _ charts: [Chart], _ formats: [ChartFormat], to folder: String, message: (String) -> Void
    ) throws -> [(chart: Chart, formats: [ChartFormat])] {
        try charts.map { chart in
            var chart = chart
            var own = formats
            let file = "\(folder)/\(chart.name).gp"
            if isEdited(file: file), let data = FileManager.default.contents(atPath: file) {
                chart.script = String(decoding: data, as: UTF8.self)
                own = formats.filter { chart.script.contains("\(chart.name).\($0.rawValue)") }
                message("\(file) was edited, so it is kept; remove it to draw it anew")
            } else {
                try ResultFile.write(sealed(chart.script), to: file)
            }
            try ResultFile.write(chart.data, to: "\(folder)/\(chart.name).csv")
            return (chart, own)
        }
    }

    /// FNV-1a, 64 bits. It finds edits, and is no protection against forged scripts.
    private static func checksum(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
