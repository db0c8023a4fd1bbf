import Foundation
import HTTPCases
import Testing

/// The visits that `scripts/recording/record-http-visit` recorded in Chromium, by the rules of replays at the
/// recorded times.
@Suite("Chromium's cache on a recorded visit")
struct ChromiumVisitTests {
    /// A line of the recording, of any kind.
    private struct Line: Decodable {
        var started: Int64?
        var image: String?
        var status: Int?
        var request: String?
        var visit: Int?
        var time: Int64?
        var fields: Fields?

        /// A list of pairs for the response of an image, a dictionary for the conditions of a request.
        enum Fields: Decodable {
            case response([[String]])
            case request([String: String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let list = try? container.decode([[String]].self) {
                    self = .response(list)
                } else {
                    self = .request(try container.decode([String: String].self))
                }
            }
        }
    }

    private struct Image {
        var name: String
        var status: Int
        var fields: [[String]]
    }

    /// The images for which Chromium asks otherwise in the visits after the first one, and why.
    private static let explained = [
        "date-past": "Chromium takes a Date in the past for an age. Replays count only Age.",
        "error-long": "Chromium stores every status with a lifetime. Replays store 2xx only.",
        "found-long": "Chromium stores every status with a lifetime. Replays store 2xx only.",
        "max-age-quoted": "Chromium does not accept a quoted number. RFC 9111, section 5.2, asks caches to accept it.",
        "missing-long": "Chromium stores every status with a lifetime. Replays store 2xx only.",
        "modified-1970":
            "Chromium estimates a lifetime of years. Replays take the date for a missing one, and validate.",
        "modified-invalid": "Chromium validates by a text that is no date. In replays, the policy's lifetime applies.",
        "moved": "Chromium keeps a 301 without a lifetime for ever. Replays store 2xx only.",
        "nothing": "No header states a lifetime. Chromium fetches again; in replays, the policy's lifetime applies.",
        "pragma": "Chromium obeys `Pragma: no-cache` of responses. RFC 9111, section 5.4, deprecates Pragma.",
        "pragma-alone": "Chromium obeys `Pragma: no-cache` of responses. RFC 9111, section 5.4, deprecates Pragma.",
        "s-maxage-only":
            "No header states a lifetime. Chromium fetches again; in replays, the policy's lifetime applies.",
    ]

    private let lines: [Line]
    private let started: Int64

    init() throws {
        let path = "\(#filePath)/../Results/chromium-visit.jsonl"
        let text = try String(contentsOf: URL(fileURLWithPath: path).standardized, encoding: .utf8)
        lines = try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        started = try #require(lines.first?.started)
    }

    private var images: [Image] {
        lines.compactMap { line in
            guard let name = line.image, let status = line.status, case .response(let fields) = line.fields else {
                return nil
            }
            return Image(name: name, status: status, fields: fields)
        }
    }

    /// `visit image conditions`, of each request on the wire.
    private func recorded() -> [String] {
        lines.compactMap { line in
            guard let name = line.request, let visit = line.visit, case .request(let fields) = line.fields else {
                return nil
            }
            return Self.row(visit, name, HeaderFields(fields.map { ($0.key, $0.value) }))
        }.sorted()
    }

    private static func row(_ visit: Int, _ name: String, _ fields: HeaderFields) -> String {
        let names = ["If-None-Match", "If-Modified-Since", "Cache-Control", "Pragma"]
        let conditions = names.compactMap { name in fields.combined(name).map { "\(name): \($0)" } }
        return (["\(visit)", name] + conditions).joined(separator: " ")
    }

    /// The origin of the script: the response of an image at a time in a visit.
    private func response(_ image: Image, _ request: RequestHead, visit: Int, at time: Int64) -> ResponseHead {
        let fields = HeaderFields(image.fields.map { ($0[0], filled($0[1], visit: visit, at: time)) })
        var head = ResponseHead(image.status, fields)
        if !fields.contains("Date") { head.fields.append("Date", CaseDates.text(time)) }
        let tags = request.fields.combined("If-None-Match")
        let isTag = tags != nil && tags == fields.first("ETag")
        let since = request.fields.first("If-Modified-Since")
        let isDate = tags == nil && since != nil && since == fields.first("Last-Modified")
        if image.status == 200, isTag || isDate { head.status = 304 }
        return head
    }

    /// `{-7200}` is a date from now, and `{@-7200}` one from the start of the server.
    private func filled(_ text: String, visit: Int, at time: Int64) -> String {
        if text == "\"{visit}\"" { return "\"\(visit)\"" }
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return text }
        let inner = text.dropFirst().dropLast()
        let isFixed = inner.hasPrefix("@")
        guard let seconds = Int64(isFixed ? inner.dropFirst() : inner) else { return text }
        return CaseDates.text((isFixed ? started : time) + seconds * 1_000_000)
    }

    /// The requests on the wire if a cache with the rules of replays makes the recorded visits. A redirect leads to an
    /// image that the page has anyway, and whose request it would repeat only if that were stale.
    private func ours() throws -> [String] {
        var time = started
        var rows: [String] = []
        var cache = ReplayRulesCache { time }
        for line in lines where line.request == nil {
            guard let visit = line.visit, let start = line.time else { continue }
            time = start
            for image in images {
                let request = RequestHead(
                    "http://127.0.0.1/image/\(image.name)", fields: HeaderFields([("Accept", "image/webp,*/*")]))
                _ = try cache.response(to: request) { sent in
                    rows.append(Self.row(visit, image.name, sent.fields))
                    return CaseResponse(response(image, sent, visit: visit, at: start), body: image.name)
                }
            }
        }
        return rows.sorted()
    }

    @Test("The recording has three visits of a page with diverse images")
    func recording() {
        #expect(images.count == 49)
        #expect(lines.count { $0.request == nil && $0.visit != nil } == 3)
        // The first visit asks for each image once, without conditions.
        #expect(recorded().filter { $0.hasPrefix("1 ") } == images.map { "1 \($0.name)" }.sorted())
    }

    @Test("The rules of replays send the same requests, except those whose difference is explained")
    func sameRequests() throws {
        let rows = try ours()
        let (theirs, own) = (Set(recorded()), Set(rows))
        #expect(theirs.count == recorded().count && own.count == rows.count)
        let different = Set(theirs.symmetricDifference(own).map { String($0.split(separator: " ")[1]) })
        #expect(different == Set(Self.explained.keys))
        for row in theirs.symmetricDifference(own).sorted()
        where Self.explained[String(row.split(separator: " ")[1])] == nil {
            Issue.record("\(theirs.contains(row) ? "only Chromium" : "only the rules") sends: \(row)")
        }
    }
}
