import Foundation

/// A case of the public test suite of HTTP caches (http-tests/cache-tests), as `cases.json` has it.
package struct CacheCase: Decodable, Sendable {
    package enum Kind: String, Decodable, Sendable, CaseIterable {
        case required, optimal, check
    }

    package var suite: String
    package var id: String
    package var kind: Kind?
    package var dependsOn: [String]?
    /// Browsers do not run the case: their scripts cannot see what it checks, or it is for shared caches.
    package var browserSkip: Bool?
    package var cdnOnly: Bool?
    package var requests: [CaseRequest]

    private enum CodingKeys: String, CodingKey {
        case suite, id, kind, requests
        case dependsOn = "depends_on"
        case browserSkip = "browser_skip"
        case cdnOnly = "cdn_only"
    }

    /// The suite runs these cases in browsers.
    package var isRunByBrowsers: Bool { browserSkip != true && cdnOnly != true }

    package static func all(in folder: String) throws -> [CacheCase] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/cases.json"))
        return try JSONDecoder().decode([CacheCase].self, from: data)
    }
}

/// A request of a case: what the client sends, what the origin answers, and what each of them expects.
package struct CaseRequest: Decodable, Sendable {
    package var requestMethod: String?
    package var requestHeaders: [CaseField]?
    package var requestBody: String?
    package var responseStatus: [CaseValue]?
    package var responseHeaders: [CaseField]?
    package var responseBody: String?
    package var responsePause: Int?
    package var interimResponses: [CaseValue]?
    package var disconnect: Bool?
    package var pauseAfter: Bool?
    package var magicIms: Bool?
    package var magicLocations: Bool?
    package var rfc850date: [String]?
    package var queryArg: String?
    package var filename: String?
    package var cache: String?
    package var expectedType: String?
    package var expectedStatus: CaseValue?
    package var expectedResponseHeaders: [CaseValue]?
    package var expectedResponseHeadersMissing: [CaseValue]?
    package var expectedResponseText: CaseValue?
    package var expectedRequestHeaders: [CaseValue]?
    package var expectedInterimResponses: [CaseValue]?
    package var expectedMethod: String?
    package var checkBody: Bool?
    package var setup: Bool?
    package var setupTests: [String]?

    private enum CodingKeys: String, CodingKey {
        case requestMethod = "request_method"
        case requestHeaders = "request_headers"
        case requestBody = "request_body"
        case responseStatus = "response_status"
        case responseHeaders = "response_headers"
        case responseBody = "response_body"
        case responsePause = "response_pause"
        case interimResponses = "interim_responses"
        case pauseAfter = "pause_after"
        case magicIms = "magic_ims"
        case magicLocations = "magic_locations"
        case queryArg = "query_arg"
        case expectedType = "expected_type"
        case expectedStatus = "expected_status"
        case expectedResponseHeaders = "expected_response_headers"
        case expectedResponseHeadersMissing = "expected_response_headers_missing"
        case expectedResponseText = "expected_response_text"
        case expectedRequestHeaders = "expected_request_headers"
        case expectedInterimResponses = "expected_interim_responses"
        case expectedMethod = "expected_method"
        case checkBody = "check_body"
        case setupTests = "setup_tests"
        case rfc850date, disconnect, filename, cache, setup
    }

    /// `expected_status: null` differs from no member: it accepts every status. The same holds for the text.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ type: Value.Type = Value.self) throws -> Value? {
            try members.decodeIfPresent(type, forKey: key)
        }
        func nullable(_ key: CodingKeys) throws -> CaseValue? {
            members.contains(key) ? try value(key) ?? .null : nil
        }
        requestMethod = try value(.requestMethod)
        requestHeaders = try value(.requestHeaders)
        requestBody = try value(.requestBody)
        responseStatus = try value(.responseStatus)
        responseHeaders = try value(.responseHeaders)
        responseBody = try value(.responseBody)
        responsePause = try value(.responsePause)
        interimResponses = try value(.interimResponses)
        disconnect = try value(.disconnect)
        pauseAfter = try value(.pauseAfter)
        magicIms = try value(.magicIms)
        magicLocations = try value(.magicLocations)
        rfc850date = try value(.rfc850date)
        queryArg = try value(.queryArg)
        filename = try value(.filename)
        cache = try value(.cache)
        expectedType = try value(.expectedType)
        expectedStatus = try nullable(.expectedStatus)
        expectedResponseHeaders = try value(.expectedResponseHeaders)
        expectedResponseHeadersMissing = try value(.expectedResponseHeadersMissing)
        expectedResponseText = try nullable(.expectedResponseText)
        expectedRequestHeaders = try value(.expectedRequestHeaders)
        expectedInterimResponses = try value(.expectedInterimResponses)
        expectedMethod = try value(.expectedMethod)
        checkBody = try value(.checkBody)
        setup = try value(.setup)
        setupTests = try value(.setupTests)
    }

    /// Whether a failure of this expectation is one of the preparation, not of the case.
    func isSetup(_ member: String) -> Bool { setup == true || setupTests?.contains(member) == true }
}
