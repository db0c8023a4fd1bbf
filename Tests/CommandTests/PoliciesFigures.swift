import Foundation
import Testing

/// The tables and sentences of DoesSieveHelp.md, from the figures of `Results/policies`.
struct PoliciesFigures {
    typealias Row = [String: String]

    private let people: [Row]
    private let bounds: [Row]
    private let misses: [Row]
    private let sessionMisses: [Row]
    private let traces: [Row]

    init() throws {
        people = try Self.rows("people.csv")
        bounds = try Self.rows("least-blank.csv")
        misses = try Self.rows("misses.csv")
        sessionMisses = try Self.rows("session-misses.csv")
        traces = try Self.rows("public.csv")
    }

    /// The rows of a CSV file, by column. No field of these files is quoted.
    static func rows(_ file: String) throws -> [Row] {
        let lines = try Binary.root.text("Results/policies/\(file)").split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let columns = try #require(lines.first)
        return lines.dropFirst().map { Row(uniqueKeysWithValues: zip(columns, $0)) }
    }

    static func number(_ text: String?) -> Double { text.flatMap(Double.init) ?? .nan }

    private func person(_ tier: String, _ limit: String, _ policy: String, app: String = "feed") -> Row {
        people.first {
            $0["app"] == app && $0["tier"] == tier && $0["limit"] == limit && $0["policy"] == policy
        } ?? [:]
    }

    private func bound(_ limit: String, app: String = "feed") -> Row {
        bounds.first { $0["app"] == app && $0["tier"] == "memory" && $0["limit"] == limit } ?? [:]
    }

    private func missed(_ policy: String, _ bytes: String = "32000000", app: String = "feed") -> Double {
        let row = misses.first { $0["app"] == app && $0["capacity"] == bytes && $0["policy"] == policy }
        return Self.number(row?["miss_ratio"])
    }

    // MARK: - Figures as the page writes them

    /// A share in per cent or in points, without a sign.
    private static func share(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", abs(100 * value))
    }

    private static func share(_ text: String?, _ digits: Int) -> String { share(number(text), digits) }

    /// A difference with its interval, both without signs: "0.13 points more (0.12 to 0.15)" has two of these.
    private static func span(_ row: Row, _ low: String, _ high: String, _ digits: Int) -> String {
        let ends = [number(row[low]), number(row[high])].map(abs).sorted()
        return "(\(share(ends[0], digits)) to \(share(ends[1], digits)))"
    }

    /// A share in points or per cent, with its sign.
    private static func signed(_ text: String?, _ digits: Int) -> String {
        let text = String(format: "%+.\(digits)f", 100 * number(text))
        let isZero = !text.contains { "123456789".contains($0) }
        return isZero ? String(text.dropFirst()) : text.replacingOccurrences(of: "-", with: "−")
    }

    /// A cell of a table: the difference and its interval, bold if it counts.
    private static func cell(_ row: Row, _ keys: (String, String, String), _ digits: Int, counts: Bool) -> String {
        let value = signed(row[keys.0], digits)
        let marked = counts ? "**\(value)**" : value
        guard row[keys.1] != "" else { return "\(marked) (no interval)" }
        return "\(marked) (\(signed(row[keys.1], digits)) to \(signed(row[keys.2], digits)))"
    }

    private func blankCell(_ row: Row) -> String {
        guard row["policy"] != "lru" else { return "\(Self.share(row["blank_ratio"], 2)) %" }
        return Self.cell(
            row, ("blank_difference", "difference_low", "difference_high"), 3,
            counts: row["blank_verdict"]?.hasPrefix("tie") == false)
    }

    private func bytesCell(_ row: Row) -> String {
        guard row["policy"] != "lru" else {
            return String(format: "%.1f MB", Self.number(row["origin_bytes"]) / 1_000_000)
        }
        return Self.cell(
            row, ("bytes_change", "change_low", "change_high"), 1,
            counts: row["bytes_verdict"]?.hasPrefix("tie") == false)
    }

    // MARK: - Tables

    /// Policies in the order of the file.
    private var policies: [String] {
        people.filter { $0["app"] == "feed" && $0["tier"] == "memory" && $0["limit"] == "8MB" }.compactMap {
            $0["policy"]
        }
    }

    /// The rows of the page's tables, without headings.
    var tables: [String] {
        let blank = policies.map { policy in
            "| `\(policy)` | "
                + ["8MB", "32MB", "128MB"].map { blankCell(person("memory", $0, policy)) }
                .joined(separator: " | ") + " |"
        }
        let disk = policies.map { policy in
            "| `\(policy)` | "
                + ["16MB", "32MB", "64MB"].map { bytesCell(person("disk", $0, policy)) }
                .joined(separator: " | ") + " |"
        }
        return blank + disk + galleryRows + appRows + missRows + publicRows
    }

    private var galleryRows: [String] {
        policies.map { policy in
            let row = disk(policy)
            let people = ["people_fewer_bytes", "people_more_bytes"].map { row[$0] ?? "" }
            let cells = [blankCell(row)] + people.map { $0.isEmpty ? "–" : $0 }
            return "| `\(policy)` | \(cells.joined(separator: " | ")) |"
        }
    }

    private var appRows: [String] {
        ["gallery", "chat", "search"].map { app in
            let cells = ["lru", "sieve", "s3fifo", "w-tinylfu", "gdsf", "no limit"].map {
                blankCell(person("memory", "32MB", $0, app: app))
            }
            return "| \(app) | \(cells.joined(separator: " | ")) |"
        }
    }

    private var missRows: [String] {
        ["feed", "gallery", "chat", "search"].map { app in
            let cells = ["lru", "sieve", "s3fifo", "w-tinylfu", "gdsf", "least"].map {
                "\(Self.share(missed($0, app: app), 1)) %"
            }
            let row = bound("32MB", app: app)
            return "| \(app) | \(cells.joined(separator: " | ")) | \(Self.share(row["blank_ratio"], 2)) % | "
                + "\(Self.share(row["least_blank_ratio"], 2)) % |"
        }
    }

    private var publicNames: [String] {
        traces.reduce(into: [String]()) { names, row in
            if let name = row["trace"], names.last != name { names.append(name) }
        }
    }

    private var publicRows: [String] {
        publicNames.map { name in
            let rows = publicRows(of: name)
            let cells = ["lru", "sieve", "s3fifo", "w-tinylfu", "gdsf", "least"].map { policy in
                "\(Self.share(rows.first { $0["policy"] == policy }?["miss_ratio"], 1)) %"
            }
            return "| `\(name)` | \(rows.first?["requests_for"] ?? "") | \(cells.joined(separator: " | ")) |"
        }
    }

    /// The rows of a public trace at the middle one of three capacities: 10 % of its bytes or objects.
    private func publicRows(of name: String) -> [Row] {
        let rows = traces.filter { $0["trace"] == name }
        let capacities = rows.filter { $0["policy"] == "lru" }.compactMap { $0["capacity"] }
        return rows.filter { capacities.count == 3 && $0["capacity"] == capacities[1] }
    }

    /// On how many public traces the misses of SIEVE are in a relation to those of LRU.
    private func traces(_ isSo: (Double, Double) -> Bool) -> Int {
        publicNames.filter { name in
            let rows = publicRows(of: name)
            let (sieve, lru) = (rows.first { $0["policy"] == "sieve" }, rows.first { $0["policy"] == "lru" })
            return isSo(Self.number(sieve?["miss_ratio"]), Self.number(lru?["miss_ratio"]))
        }.count
    }

    // MARK: - Sentences

    /// What the page says in sentences, with their figures, without line ends.
    var fragments: [String] { answer + byteSentences + distanceSentences + reasons }

    private func blankSpan(_ row: Row, _ digits: Int) -> String {
        Self.span(row, "difference_low", "difference_high", digits)
    }

    private func hits(_ row: Row) -> (points: String, interval: String) {
        (Self.share(row["hits_difference"], 1), Self.span(row, "hits_low", "hits_high", 1))
    }

    private var answer: [String] {
        let sieve = person("memory", "32MB", "sieve")
        let tiny = person("memory", "32MB", "w-tinylfu")
        let whole = person("memory", "32MB", "no limit")
        let hits = hits(sieve)
        let blank = "\(Self.share(sieve["blank_difference"], 3)) points more of the visible time blank"
        let many = tiny["people_more_blank"] ?? ""
        let less = tiny["people_less_blank"] == "0" ? "No person has" : "Some people have"
        return [
            "SIEVE answers \(hits.points) points fewer requests from memory than LRU \(hits.interval)",
            "leaves \(blank) \(blankSpan(sieve, 3))",
            "In the feed, W-TinyLFU leaves \(Self.share(tiny["blank_difference"], 2)) points more "
                + blankSpan(tiny, 2),
            "memory without any limit would leave only \(Self.share(whole["blank_difference"], 2)) points less "
                + blankSpan(whole, 2),
            "\(many) of 56 people have over 0.1 points more blank time with W-TinyLFU than with LRU. "
                + "\(less) over 0.1 points less.",
            "With \(people.count { $0["policy"] != "lru" && $0["policy"] != "no limit" }) comparisons",
        ]
    }

    private var byteSentences: [String] {
        let sieve = person("memory alone", "32MB", "sieve")
        let tiny = person("memory alone", "32MB", "w-tinylfu")
        func bytes(_ row: Row) -> String {
            "\(Self.share(row["bytes_change"], 1)) % more bytes \(Self.span(row, "change_low", "change_high", 1))"
        }
        return [
            "\(bytesCell(person("memory", "32MB", "lru"))) per person with each policy at 32 MB",
            "SIEVE leaves \(Self.share(sieve["blank_difference"], 2)) points more blank than LRU "
                + "\(blankSpan(sieve, 2)), and fetches \(bytes(sieve))",
            "W-TinyLFU leaves \(Self.share(tiny["blank_difference"], 2)) points more "
                + "\(blankSpan(tiny, 2)), and fetches \(bytes(tiny))",
            "the median is at least 1 %",
            "who fetch over 1 % fewer or more bytes",
        ] + gallerySentences
    }

    private var gallerySentences: [String] {
        let (lru, sieve, gdsf) = (disk("lru"), disk("sieve"), disk("gdsf"))
        let megabytes = [lru, gdsf].map { String(format: "%.1f MB", Self.number($0["origin_bytes"]) / 1_000_000) }
        return [
            "SIEVE leaves \(Self.share(sieve["blank_difference"], 2)) points less blank than LRU "
                + "\(blankSpan(sieve, 2)), and GDSF \(Self.share(gdsf["blank_difference"], 2)) points less "
                + blankSpan(gdsf, 2),
            "LRU fetches \(megabytes[0]) per person and GDSF \(megabytes[1])",
        ]
    }

    /// The gallery with a disk of 64 MB, which is too small for it.
    private func disk(_ policy: String) -> Row { person("disk", "64MB", policy, app: "gallery") }

    private var distanceSentences: [String] {
        let row = bound("32MB")
        let chat = ["gdsf", "s3fifo"].map { hits(person("memory", "32MB", $0, app: "chat")) }
        let gallery = hits(person("memory", "32MB", "sieve", app: "gallery"))
        return [
            "LRU misses \(Self.share(missed("lru") - missed("least"), 1)) points more than the least",
            "LRU leaves \(Self.share(row["gap"], 2)) points more than the least "
                + Self.span(row, "gap_low", "gap_high", 2),
            "removes only \(Self.share(person("memory", "32MB", "no limit")["blank_difference"], 2)) of them",
            "GDSF answers \(chat[0].points) points more from memory than LRU \(chat[0].interval), and S3-FIFO "
                + "\(chat[1].points) points more \(chat[1].interval)",
            "it answers \(gallery.points) points fewer requests from memory than LRU \(gallery.interval)",
            "SIEVE misses less often than LRU in \(cases("sieve", <)), as often in \(cases("sieve", ==)) "
                + "and more often in \(cases("sieve", >)); "
                + "GDSF in \(cases("gdsf", <)), \(cases("gdsf", ==)) and \(cases("gdsf", >))",
            "capacity of 10 % of the objects",
            "SIEVE misses less often than LRU on \(traces(<)) of these \(traces { _, _ in true }) traces, "
                + "and more often on \(traces(>))",
        ]
    }

    /// In how many cases of a bundled session and a limit the misses of a policy are in a relation to those of LRU.
    private func cases(_ policy: String, _ isSo: (Double, Double) -> Bool) -> Int {
        sessionMisses.filter { row in
            guard row["policy"] == policy else { return false }
            let lru = sessionMisses.first {
                $0["policy"] == "lru" && $0["trace"] == row["trace"] && $0["capacity"] == row["capacity"]
            }
            return isSo(Self.number(row["misses"]), Self.number(lru?["misses"]))
        }.count
    }

    private var reasons: [String] {
        let (sieve, tiny, gdsf) = ("sieve", "w-tinylfu", "gdsf")
        let alone = [sieve, tiny, gdsf].map { person("memory without prefetch", "32MB", $0) }
        let gained = hits(alone[2])
        let requests = misses.first { $0["app"] == "feed" && $0["capacity"] == "32000000" && $0["policy"] == "lru" }
        let bitmap = Self.number(requests?["request_bytes"]) / Self.number(requests?["requests"])
        return [
            "for \(String(format: "%.1f", bitmap / 1_000_000)) MB of bitmap",
            "W-TinyLFU leaves \(Self.share(alone[1]["blank_difference"], 3)) points more blank than LRU at 32 MB "
                + "\(blankSpan(alone[1], 3)) and SIEVE \(Self.share(alone[0]["blank_difference"], 3)) points "
                + blankSpan(alone[0], 3),
            "GDSF then answers \(gained.points) points more from memory than LRU \(gained.interval)",
            "A window of 1 % of the limit",
        ]
    }
}
