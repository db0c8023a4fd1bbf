/// What a client got for a request of a case.
package struct CaseResponse: Sendable {
    package var head: ResponseHead
    package var body: String
    package var interim: [ResponseHead]

    package init(_ head: ResponseHead, body: String, interim: [ResponseHead] = []) {
        self.head = head
        self.body = body
        self.interim = interim
    }
}

/// A client with a cache, which the cases examine.
package protocol CaseClient {
    /// Throws if the client got no response at all.
    func response(to request: RequestHead, body: String?) throws -> CaseResponse
    /// Lets the client end its work in the background.
    func settle() throws
}

/// How a case ended, in the words of the suite's published results.
package enum CaseResult: Sendable, Equatable {
    case pass
    case assertion(String)
    /// The case could not examine what it is about.
    case setup(String)
    /// The client got no response, or the origin no request that the case needs.
    case typeError(String)

    package var name: String {
        switch self {
        case .pass: "pass"
        case .assertion: "assertion"
        case .setup: "setup"
        case .typeError: "typeerror"
        }
    }

    package var message: String {
        switch self {
        case .pass: ""
        case .assertion(let message), .setup(let message), .typeError(let message): message
        }
    }
}

struct CaseFailure: Error {
    var result: CaseResult
}

func check(isSetup: Bool, _ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard !condition else { return }
    throw CaseFailure(result: isSetup ? .setup(message()) : .assertion(message()))
}

/// Runs cases as the suite's own client does, with the same order of checks, so that results are comparable.
package struct CaseRunner {
    private let origin: CaseOrigin
    private let clock: CaseClock
    /// `pause_after` in seconds.
    private static let pause = 3

    package init(_ origin: CaseOrigin, clock: CaseClock) {
        self.origin = origin
        self.clock = clock
    }

    package func run(_ test: CacheCase, _ client: some CaseClient) -> CaseResult {
        do {
            var responses: [CaseResponse] = []
            for (index, request) in test.requests.enumerated() {
                let head = head(test, index, previous: responses.last)
                let response: CaseResponse
                do {
                    response = try client.response(to: head, body: request.requestBody)
                } catch {
                    throw CaseFailure(result: .typeError("Request \(index + 1): \(error)"))
                }
                responses.append(response)
                try ResponseCheck(test: test, number: index + 1, request: request, response: response).run()
                try client.settle()
                if request.pauseAfter != nil { clock.advance(by: Self.pause) }
            }
            try OriginCheck(test: test, responses: responses, seen: origin.answers.seen(test.id)).run()
            return .pass
        } catch let failure as CaseFailure {
            return failure.result
        } catch {
            return .typeError("\(error)")
        }
    }

    private func head(_ test: CacheCase, _ index: Int, previous: CaseResponse?) -> RequestHead {
        let request = test.requests[index]
        let now = previous?.head.fields.first("Server-Now").flatMap { Int64($0) }
        var fields = HeaderFields()
        for field in request.requestHeaders ?? [] {
            // Without magic_ims, a number is sent as it is.
            let time = request.magicIms == true ? now : nil
            fields.append(field.name, CaseDates.text(field.name, field.value, request, now: time, base: nil))
        }
        fields.append("Test-ID", test.id)
        fields.append("Req-Num", String(index + 1))
        return RequestHead(
            origin.url(test.id, request), method: request.requestMethod ?? "GET", fields: fields,
            isReload: request.cache == "no-cache")
    }
}
