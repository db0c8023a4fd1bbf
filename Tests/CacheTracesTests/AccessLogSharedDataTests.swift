import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("Access logs of other people's servers", .enabled(if: SharedData.isPresent))
struct AccessLogSharedDataTests {
    /// From index.csv: records and URLs, and among them those of GET, status 200 and a size above 0.
    struct Expectation: Sendable {
        var file: String
        var format: String
        var records: Int
        var urls: Int
        var complete: Int
        var completeURLs: Int
    }

    @Test(
        "Every log is recognised and counted as the index counts it",
        arguments: [
            Expectation(
                file: "apache_combined_semicomplete_10k.log", format: "common", records: 10000, urls: 1498,
                complete: 8911, completeURLs: 1339),
            Expectation(
                file: "nasa_clf_jul95_4k.log", format: "common", records: 4000, urls: 699, complete: 3559,
                completeURLs: 512),
            Expectation(
                file: "iis_w3c_lnav_big.log", format: "w3c", records: 210, urls: 115, complete: 7, completeURLs: 2),
            Expectation(
                file: "cloudfront_w3c_awssample.log.gz", format: "w3c", records: 66, urls: 3, complete: 3,
                completeURLs: 2),
            Expectation(
                file: "squid_richmix.log", format: "squid", records: 113, urls: 18, complete: 28, completeURLs: 12),
        ])
    func counts(expected: Expectation) throws {
        let reading = try TraceReading(contentsOf: SharedData.path("logs/" + expected.file))
        #expect(reading.format.name == expected.format)
        let facts = Dictionary(uniqueKeysWithValues: reading.facts.map { ($0.name, $0.value) })
        #expect(facts["records"] == expected.records)
        #expect(facts["urls"] == expected.urls)
        #expect(facts["complete_records"] == expected.complete)
        #expect(facts["complete_urls"] == expected.completeURLs)
        #expect(!reading.warnings.contains { $0.contains("cannot be read") })
        // Every GET gives an appear and a fetch, in order of time.
        #expect(reading.trace.events.count == 2 * (facts["get_records"] ?? 0))
        #expect(zip(reading.trace.events, reading.trace.events.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(reading.trace.events.first?.time == 0)
        let complete = reading.trace.events.count {
            if case .fetch(_, let fetch) = $0.action { fetch.status == 200 && (fetch.bytes ?? 0) > 0 } else { false }
        }
        #expect(complete == expected.complete)
    }

    @Test(
        "Images alone, by option: the index counts those that were delivered",
        arguments: [
            ("apache_combined_semicomplete_10k.log", 3339), ("nasa_clf_jul95_4k.log", 2068),
        ])
    func images(file: String, delivered: Int) throws {
        let reading = try TraceReading(
            contentsOf: SharedData.path("logs/" + file), format: .accessLog(.common, .init(content: .images)))
        let count = reading.trace.events.count {
            if case .fetch(_, let fetch) = $0.action { fetch.status == 200 && (fetch.bytes ?? 0) > 0 } else { false }
        }
        #expect(count == delivered)
        #expect(reading.warnings.contains { $0.hasSuffix("requests that are not of images are left out") })
    }

    /// Format, requests, key of the first object.
    @Test(
        "Every fixture is read as its dialect",
        arguments: [
            ("lnav/logfile_access_log.0", "common", 3, "/vmw/cgi/tramp"),
            ("lnav/logfile_bad_access_log.0", "common", 2, "/vmw/cgi/tramp"),
            ("lnav/logfile_w3c.0", "w3c", 1, "/images/picture.jpg"),
            ("lnav/logfile_w3c.1", "w3c", 1, "/admin/images/oc_bottomleft.gif"),
            ("lnav/logfile_w3c.3", "w3c", 3, "xzy.example.com/Products/theProduct"),
            ("lnav/logfile_w3c.6", "w3c", 1, "/robots.txt"),
            ("matomo/alb.log", "elb", 1, "https://www.example.com:443/path/index.html"),
            ("matomo/amazon_cloudfront_web.log", "w3c", 1, "example.com/view/my/file.html"),
            ("matomo/common.log", "common", 1, "/"),
            ("matomo/common_encoding_big5.log", "common", 1, "www.example.com/%AC%B0%A8%E4%AD%DD%A6%E6%B4c%B9D"),
            ("matomo/gandi.log", "common", 2, "www.example.com/"),
            ("matomo/icecast2.log", "common", 1, "/"),
            ("matomo/iis_custom.log", "w3c", 3, "xzy.example.com/Products/theProduct"),
            ("matomo/netscaler.log", "w3c", 1, "/Citrix/XenApp/Wan/auth/login.jsp"),
            ("matomo/ovh.log", "common", 1, "/"),
            ("matomo/static_ignores.log", "common", 4, "www.example.com/"),
        ])
    func fixtures(file: String, format: String, requests: Int, key: String) throws {
        let reading = try TraceReading(contentsOf: SharedData.path("logs/fixtures_" + file))
        #expect(reading.format.name == format)
        #expect(TraceSummary(reading.trace).requests == requests)
        #expect(reading.trace.objects.first?.key == key)
    }

    @Test(
        "What is no log of requests is refused in words",
        arguments: [
            ("lnav/logfile_w3c.2", "none of the 9 records is a GET"),
            (
                "lnav/logfile_w3c.5",
                """
                logfile_w3c.5:2: the line has 17 fields; '#Fields:' names 6 (1 of 1 lines cannot be read as this format)
                """
            ),
            ("matomo/custom_regex_custom_date.log", "the format is not recognised"),
            ("matomo/common.log.gz", "none of the 1 records is a GET"),
            ("matomo/shoutcast.log", "the line '#Fields:' does not name cs-method"),
        ])
    func refused(file: String, message: String) {
        let error = #expect(throws: TraceError.self) { try Trace(contentsOf: SharedData.path("logs/fixtures_" + file)) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
