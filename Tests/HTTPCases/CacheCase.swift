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

    /// The suite runs these cases in browsers.
    package var isRunByBrowsers: Bool { browserSkip != true && cdnOnly != true }

    /// Reads the names of the suite, such as `depends_on`.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    package static func all(in folder: String) throws -> [CacheCase] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/cases.json"))
        return try decoder.decode([CacheCase].self, from: data)
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

    /// Whether a failure of this expectation is one of the preparation, not of the case.
    func isSetup(_ member: String) -> Bool { setup == true || setupTests?.contains(member) == true }
}

extension KeyedDecodingContainer {
    /// `expected_status: null` differs from no member: it accepts every status. The same holds for the text. The
    /// initializer that the compiler writes calls this function.
    func decodeIfPresent(_ type: CaseValue.Type, forKey key: Key) throws -> CaseValue? {
        contains(key) ? try decodeNil(forKey: key) ? .null : decode(type, forKey: key) : nil
    }
}
