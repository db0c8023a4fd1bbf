/// The checks of one response at the client.
struct ResponseCheck {
    var test: CacheCase
    var number: Int
    var request: CaseRequest
    var response: CaseResponse

    private var fields: HeaderFields { response.head.fields }

    func run() throws {
        let numbers = (fields.first("Request-Numbers") ?? "").split(separator: " ")
        try check(isSetup: true, numbers.count == Set(numbers).count, "retry")
        try checkType()
        try checkStatus()
        try checkPresent()
        try checkMissing()
        try checkInterim()
        try checkBody()
    }

    private func checkType() throws {
        let isSetup = request.isSetup("expected_type")
        let count = fields.first("Server-Request-Count").flatMap { Int($0) }
        if request.expectedType == "cached" {
            // Some caches leave the field out of a 304.
            let isBare304 = response.head.status == 304 && count == nil
            try check(
                isSetup: isSetup, isBare304 || count.map { $0 < number } == true,
                "Response \(number) does not come from the cache.")
        }
        if request.expectedType == "not_cached" {
            try check(isSetup: isSetup, count == number, "Response \(number) comes from the cache.")
        }
    }

    private func checkStatus() throws {
        let status = response.head.status
        func compare(_ isSetup: Bool, _ expected: Int) throws {
            try check(isSetup: isSetup, status == expected, "Response \(number) has status \(status), not \(expected).")
        }
        if let expected = request.expectedStatus {
            if let expected = expected.number { try compare(request.isSetup("expected_status"), expected) }
        } else if let expected = request.responseStatus?.first?.number {
            try compare(true, expected)
        } else if status == 999 {
            try check(isSetup: request.isSetup("expected_type"), false, "Request \(number) is not conditional.")
        } else {
            try compare(true, 200)
        }
    }

    private func checkPresent() throws {
        let isSetup = request.isSetup("expected_response_headers")
        for expected in request.expectedResponseHeaders ?? [] {
            let parts = expected.list
            let name = expected.text ?? parts.first?.text ?? ""
            let value = fields.combined(name)
            if parts.count != 2 { try check(isSetup: isSetup, value != nil, "Response \(number) has no \(name).") }
            let message = "Response \(number) has \(name): \(value ?? "nothing")"
            if parts.count == 3, parts[1].text == ">" {
                let (number, least) = (value.flatMap(Self.leadingNumber), parts[2].number ?? .max)
                try check(isSetup: isSetup, number.map { $0 > least } == true, "\(message), not above \(least).")
            } else if parts.count == 3 {
                let other = fields.combined(parts[2].text ?? "")
                try check(isSetup: isSetup, value == other, "\(message), not that of \(parts[2].text ?? "").")
            } else if parts.count == 2 {
                let now = fields.first("Server-Now").flatMap { Int64($0) }
                let base = fields.first("Server-Base-Url")
                let expected = CaseDates.text(name, parts[1], request, now: now, base: base)
                try check(isSetup: isSetup, value == expected, "\(message), not \(expected).")
            }
        }
    }

    private static func leadingNumber(_ text: String) -> Int? { Int(text.prefix { $0.isNumber }) }

    /// A pair of a name and a value has no effect in the suite's client, and none here.
    private func checkMissing() throws {
        for name in (request.expectedResponseHeadersMissing ?? []).compactMap(\.text) {
            try check(
                isSetup: request.isSetup("expected_response_headers_missing"), !fields.contains(name),
                "Response \(number) has \(name): \(fields.combined(name) ?? "").")
        }
    }

    private func checkInterim() throws {
        let isSetup = request.isSetup("expected_interim_responses")
        for (index, expected) in (request.expectedInterimResponses ?? []).enumerated() {
            let parts = expected.list
            try check(
                isSetup: isSetup, response.interim.indices.contains(index), "Interim response \(index + 1) is missing.")
            let interim = response.interim[index]
            try check(
                isSetup: isSetup, interim.status == parts.first?.number,
                "Interim response \(index + 1) has status \(interim.status).")
            for field in parts.count > 1 ? parts[1].list : [] {
                let name = field.list.first?.text ?? ""
                try check(
                    isSetup: isSetup, interim.fields.contains(name), "Interim response \(index + 1) has no \(name).")
            }
        }
    }

    private func checkBody() throws {
        guard request.checkBody != false else { return }
        func compare(_ isSetup: Bool, _ expected: String) throws {
            try check(
                isSetup: isSetup, response.body == expected,
                "Response \(number) has body \"\(response.body)\", not \"\(expected)\".")
        }
        if let expected = request.expectedResponseText {
            if let expected = expected.text { try compare(request.isSetup("expected_response_text"), expected) }
        } else if let expected = request.responseBody {
            try compare(true, expected)
        } else if ![204, 304].contains(response.head.status), request.requestMethod != "HEAD" {
            try compare(true, test.id)
        }
    }
}

/// The checks of what the origin saw, and of the fields that it sent.
struct OriginCheck {
    var test: CacheCase
    var responses: [CaseResponse]
    var seen: [SeenRequest]

    func run() throws {
        var next = 0
        for (index, request) in test.requests.enumerated() where request.expectedType != "cached" {
            let seen = next < seen.count ? seen[next] : nil
            next += 1
            try checkValidation(request, index + 1, seen)
            try checkRequest(request, index + 1, seen)
            for field in seen?.compared ?? [] where field.name.lowercased() != "date" {
                let received = responses[index].head.fields.combined(field.name)
                try check(
                    isSetup: true, received == field.value,
                    "Response \(index + 1) has \(field.name): \(received ?? "nothing"), not \(field.value).")
            }
            if let expected = request.expectedMethod {
                try check(
                    isSetup: request.isSetup("expected_method"), try needed(seen, index + 1).method == expected,
                    "Request \(index + 1) has another method than \(expected).")
            }
        }
    }

    private func needed(_ seen: SeenRequest?, _ number: Int) throws -> SeenRequest {
        guard let seen else { throw CaseFailure(result: .typeError("Request \(number) did not reach the origin.")) }
        return seen
    }

    private func checkValidation(_ request: CaseRequest, _ number: Int, _ seen: SeenRequest?) throws {
        let isSetup = request.isSetup("expected_type")
        let name: String
        switch request.expectedType {
        case "not_cached":
            let other = try needed(seen, number).number
            return try check(isSetup: isSetup, other == number, "Response \(number) comes from the cache.")
        case "etag_validated": name = "If-None-Match"
        case "lm_validated": name = "If-Modified-Since"
        default: return
        }
        try check(isSetup: isSetup, seen != nil, "Request \(number) did not reach the origin.")
        try check(isSetup: isSetup, seen?.fields.contains(name) == true, "Request \(number) has no \(name).")
    }

    private func checkRequest(_ request: CaseRequest, _ number: Int, _ seen: SeenRequest?) throws {
        for expected in request.expectedRequestHeaders ?? [] {
            let name = expected.text ?? expected.list.first?.text ?? ""
            let value = try needed(seen, number).fields.combined(name)
            let isExpected = expected.text == nil ? value == expected.list.last?.text : value != nil
            try check(
                isSetup: request.isSetup("expected_request_headers"), isExpected,
                "Request \(number) has \(name): \(value ?? "nothing").")
        }
    }
}
