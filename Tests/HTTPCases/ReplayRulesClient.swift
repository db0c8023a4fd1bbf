import CacheTiers
import HTTPCaching
import MeasuredTiers

/// A cache that asks the rules of replays, ``ResponseRules`` and ``HTTPValidators``, and has none of its own.
///
/// It does with a response what the pipeline of a replay does: a response to a GET with a status of 2xx is stored if
/// the rules allow it, in place of the older one; a 304 begins the lifetime of the stored response anew; no other
/// response changes what is stored. The key is the URL without its fragment. A replay sees no header of requests, so
/// the fields of a request go to the origin and have no effect here.
package struct ReplayRulesCache {
    private struct Stored {
        var response: CaseResponse
        var rules: ResponseRules
        var validators: HTTPValidators
        /// The end of the lifetime, in microseconds since 1970.
        var until: Int64
    }

    /// Throws if no response comes.
    package typealias Origin = (RequestHead) throws -> CaseResponse

    private var stored: [String: Stored] = [:]
    /// The requests whose stored responses were shown, and are validated afterwards.
    private var waiting: [RequestHead] = []
    /// Returns microseconds since 1970.
    private let now: () -> Int64

    package init(now: @escaping () -> Int64) { self.now = now }

    package mutating func response(to request: RequestHead, _ origin: Origin) throws -> CaseResponse {
        guard request.method == "GET" else { return try origin(request) }
        guard let found = stored[Self.key(request)] else { return try fetch(request, validating: nil, origin) }
        switch found.rules.use(staleness: now() - found.until) {
        case .show: return found.response
        case .showAndValidate:
            waiting.append(request)
            return found.response
        case .validateFirst: return try fetch(request, validating: found, origin)
        }
    }

    /// Validates what was shown before its validation.
    package mutating func validate(_ origin: Origin) throws {
        let requests = waiting
        waiting = []
        for request in requests { _ = try fetch(request, validating: stored[Self.key(request)], origin) }
    }

    private mutating func fetch(_ request: RequestHead, validating found: Stored?, _ origin: Origin) throws
        -> CaseResponse
    {
        var sent = request
        for field in found?.validators.conditions ?? [] { sent.fields.set(field.name, field.value) }
        let response: CaseResponse
        do {
            response = try origin(sent)
        } catch {
            guard let stale = afterError(found) else { throw error }
            return stale
        }
        if response.head.status == 304, var found, !found.validators.isEmpty {
            found.until = now() + found.rules.lifetime
            stored[Self.key(request)] = found
            return found.response
        }
        if response.head.status >= 500 { return afterError(found) ?? response }
        if (200..<300).contains(response.head.status) { store(response, request) }
        return response
    }

    private func afterError(_ found: Stored?) -> CaseResponse? {
        guard let found, found.rules.mayShowAfterError(staleness: now() - found.until) else { return nil }
        return found.response
    }

    private mutating func store(_ response: CaseResponse, _ request: RequestHead) {
        let headers = response.head.fields.recorded
        let received = now()
        let rules = ResponseRules(headers, lifetime: .http, revalidation: .conditional, received: received)
        guard rules.storing != .refused else { return }
        stored[Self.key(request)] = Stored(
            response: response, rules: rules, validators: HTTPValidators(headers), until: received + rules.lifetime)
    }

    private static func key(_ request: RequestHead) -> String { String(request.url.prefix { $0 != "#" }) }
}

/// The rules of replays in the cases, with requests by libcurl.
package final class ReplayRulesClient: CaseClient {
    private let origin: CurlOrigin
    private var cache: ReplayRulesCache

    package init(clock: CaseClock) throws {
        origin = try CurlOrigin()
        cache = ReplayRulesCache { clock.now }
    }

    package func response(to request: RequestHead, body: String?) throws -> CaseResponse {
        try cache.response(to: request) { try send($0, body) }
    }

    package func settle() throws { try cache.validate { try send($0, nil) } }

    private func send(_ head: RequestHead, _ body: String?) throws -> CaseResponse {
        var request = OriginRequest(head.url)
        request.method = head.method
        request.fields = head.fields.map { ($0.name, $0.value) }
        request.body = body.map { Array($0.utf8) }
        let response = origin.fetch(request)
        if let failure = response.failure { throw failure }
        var heads = response.heads.map { ResponseHead($0.status, HeaderFields($0.fields.map { ($0.name, $0.value) })) }
        guard let final = heads.popLast(), final.status >= 200, let payload = response.payload else {
            throw OriginFailure(.other, "The response has no head.")
        }
        let bytes = withExtendedLifetime(payload) { Array(payload.bytes) }
        return CaseResponse(final, body: String(decoding: bytes, as: UTF8.self), interim: heads)
    }
}
