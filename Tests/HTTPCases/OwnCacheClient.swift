import CacheTiers
import HTTPCaching
import MeasuredTiers

/// The project's own cache, with requests by libcurl.
package struct OwnCacheClient: CaseClient {
    private let client: HTTPCacheClient

    package init(clock: CaseClock) throws {
        client = try HTTPCacheClient { clock.now }
    }

    package func response(to request: RequestHead, body: String?) throws -> CaseResponse {
        let response = client.response(to: request, body: body.map { Array($0.utf8) })
        return CaseResponse(
            response.head, body: String(decoding: response.body, as: UTF8.self), interim: response.interim)
    }

    package func settle() { client.validate() }
}
