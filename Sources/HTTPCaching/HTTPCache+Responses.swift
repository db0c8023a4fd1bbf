extension HTTPCache {
    /// Continues after a response of the origin. Stores, updates or removes responses.
    ///
    /// - Parameters:
    ///   - response: The final head of the response.
    ///   - body: What came of the body.
    ///   - isComplete: Whether the body has the announced length. A beginning with a strong validator is kept as a part
    ///     (RFC 9111, section 3.3); the request has failed.
    ///   - sent: The request that the cache has asked to send.
    ///   - requested: The time when the request was sent, in microseconds since 1970.
    ///   - received: The time when the head of the response came.
    public mutating func receive(
        _ response: ResponseHead, body: [UInt8], isComplete: Bool = true, for sent: SentRequest, requested: Int64,
        received: Int64
    ) -> HTTPCacheStep {
        let times = Times(requested: requested, received: received)
        guard isComplete else {
            oddities.count(.incompleteBody)
            storeBeginning(response, body, sent, times)
            return fail(sent, at: received)
        }
        if response.status == 304 { return notModified(response, sent, times) }
        if !sent.client.isSafe, (200..<400).contains(response.status) { invalidate(sent.client, response) }
        if Self.isServerError(response.status), let answer = staleAnswer(sent, at: received) { return .answer(answer) }
        if sent.client.method == "HEAD" {
            updateByHead(response, sent, times)
        } else if response.status == 206 {
            if let answer = storePart(response, body, sent, times) { return .answer(answer) }
            if sent.completes != nil { return repeated(sent, at: received) }
        } else if response.status == 416, sent.completes != nil {
            // The client has not asked for a range.
            return repeated(sent, at: received)
        } else {
            store(response, body, sent, times)
        }
        return .answer(CacheAnswer(head: response, body: body, source: .network))
    }

    /// Continues after a request that got no response.
    public mutating func fail(_ sent: SentRequest, at time: Int64) -> HTTPCacheStep {
        .answer(staleAnswer(sent, at: time) ?? .gatewayTimeout)
    }

    struct Times {
        var requested: Int64
        var received: Int64
    }

    /// The errors that `stale-if-error` is about (RFC 5861, section 4).
    private static func isServerError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    private func staleAnswer(_ sent: SentRequest, at time: Int64) -> CacheAnswer? {
        guard let id = sent.stored, let stored = stored(sent.client.url).first(where: { $0.id == id }) else {
            return nil
        }
        let directives = RequestDirectives(sent.client.fields)
        let freshness = stored.freshness
        guard sent.client.mode == .standard, !directives.noCache, directives.maxAge == nil, directives.minFresh == nil,
            !freshness.mustRevalidate,
            options.usesStaleAfterFailure || freshness.allowsStaleIfError(at: time, request: directives)
        else { return nil }
        var answer = answer(from: stored, to: sent.client, at: time, source: .storeAfterFailure)
        answer?.isStale = !freshness.isFresh(at: time)
        return answer
    }

    // MARK: 304

    /// RFC 9111, section 4.3.4.
    private mutating func notModified(_ response: ResponseHead, _ sent: SentRequest, _ times: Times) -> HTTPCacheStep {
        let key = ResourceKey.key(sent.client.url)
        guard sent.isConditional, let index = meant(by: response, sent) else {
            if !sent.isConditional, Preconditions.isConditional(sent.client.fields) {
                return .answer(CacheAnswer(head: response, body: [], source: .network))
            }
            oddities.count(.unmatchedNotModified)
            return repeated(sent, at: times.received)
        }
        var stored = entries[key]?[index]
        stored?.head.update(with: response)
        guard let head = stored?.head, var stored else { return repeated(sent, at: times.received) }
        stored.freshness = freshness(of: head, times)
        stored.vary = VaryKey(head.fields, request: sent.client.fields)
        updateOthers(key, like: stored, response, times)
        if stored.id == sent.stored || stored.vary.isAny {
            entries[key]?[index] = stored
        } else {
            // The origin has selected a stored variant for a request that had none: the body has one more variant.
            entries[key]?[index].head = head
            entries[key]?[index].freshness = stored.freshness
            insert(
                StoredResponse(
                    id: newID(), head: head, body: stored.body, wholeLength: stored.wholeLength,
                    freshness: stored.freshness, vary: stored.vary), sent.client)
        }
        guard let answer = answer(from: stored, to: sent.client, at: times.received, source: .validated) else {
            return repeated(sent, at: times.received)
        }
        return .answer(answer)
    }

    /// A strong entity tag identifies the same body of other variants, which the 304 is about too.
    private mutating func updateOthers(
        _ key: String, like stored: StoredResponse, _ response: ResponseHead, _ times: Times
    ) {
        guard let tag = Validators(response).tag, tag.isStrong else { return }
        for (index, other) in (entries[key] ?? []).enumerated()
        where other.id != stored.id && other.isComplete && other.validators.tag?.equalsStrongly(tag) == true {
            var updated = other
            updated.head.update(with: response)
            updated.freshness = freshness(of: updated.head, times)
            entries[key]?[index] = updated
        }
    }

    /// The index of the stored response that a 304 is about: that which was validated, if it fits.
    private func meant(by response: ResponseHead, _ sent: SentRequest) -> Int? {
        let all = stored(sent.client.url)
        if let id = sent.stored {
            return all.firstIndex { $0.id == id && $0.head.isMeant(by: response) }
        }
        return Validators(response).tag == nil && all.count > 1 ? nil : all.lastIndex { $0.head.isMeant(by: response) }
    }

    /// The same request without conditions, once.
    private func repeated(_ sent: SentRequest, at time: Int64) -> HTTPCacheStep {
        guard !sent.isRepeat else { return .answer(staleAnswer(sent, at: time) ?? .badGateway) }
        var again = SentRequest(sent.client)
        for name in Preconditions.names { again.head.fields.remove(name) }
        again.stored = sent.stored
        again.isRepeat = true
        return .send(again)
    }

    // MARK: Storing

    func freshness(of head: ResponseHead, _ times: Times) -> ResponseFreshness {
        var unused = HTTPOddities()
        return ResponseFreshness(
            head, requested: times.requested, received: times.received, targets: options.targets, oddities: &unused)
    }

    private mutating func countedFreshness(_ head: ResponseHead, _ times: Times) -> ResponseFreshness {
        if let tag = Validators(head).tag, !tag.isValid { oddities.count(.unquotedEntityTag) }
        return ResponseFreshness(
            head, requested: times.requested, received: times.received, targets: options.targets, oddities: &oddities)
    }

    private mutating func store(_ response: ResponseHead, _ body: [UInt8], _ sent: SentRequest, _ times: Times) {
        let freshness = countedFreshness(response, times)
        guard Storability(sent.client, response, freshness) == .storable else {
            // A newer response that must not be stored replaces the older one all the same.
            if sent.client.method == "GET", response.status < 400, !RequestDirectives(sent.client.fields).noStore {
                removeMatching(sent.client)
            }
            return
        }
        insert(
            StoredResponse(
                id: newID(), head: ResponseHead(response.status, response.fields.withoutConnectionFields), body: body,
                wholeLength: body.count, freshness: freshness,
                vary: VaryKey(response.fields, request: sent.client.fields)), sent.client)
    }

    private mutating func insert(_ stored: StoredResponse, _ request: RequestHead) {
        removeMatching(request)
        if stored.vary.isAny { entries[ResourceKey.key(request.url)]?.removeAll { $0.vary.isAny } }
        entries[ResourceKey.key(request.url), default: []].append(stored)
    }

    private mutating func removeMatching(_ request: RequestHead) {
        entries[ResourceKey.key(request.url)]?.removeAll { $0.vary.matches(request.fields) }
    }

    // MARK: Other methods

    /// RFC 9111, section 4.4.
    private mutating func invalidate(_ request: RequestHead, _ response: ResponseHead) {
        entries[ResourceKey.key(request.url)] = nil
        for name in ["Location", "Content-Location"] {
            for reference in response.fields.values(name) {
                if let key = ResourceKey.sameOrigin(reference, of: request.url) { entries[key] = nil }
            }
        }
    }

    /// RFC 9111, section 4.3.5.
    private mutating func updateByHead(_ response: ResponseHead, _ sent: SentRequest, _ times: Times) {
        guard response.status == 200, !RequestDirectives(sent.client.fields).noStore else { return }
        let key = ResourceKey.key(sent.client.url)
        let validators = Validators(response)
        let length = response.fields.first("Content-Length")
        for (index, stored) in stored(sent.client.url).enumerated()
        where stored.head.status == 200 && stored.vary.matches(sent.client.fields) {
            let own = stored.validators
            var updated = stored
            if validators.tag == nil || validators.tag == own.tag,
                validators.lastModified == nil || validators.lastModified == own.lastModified,
                length == nil || length == String(stored.body.count)
            {
                updated.head.update(with: response)
                updated.freshness = freshness(of: updated.head, times)
            } else {
                updated.freshness.lifetime.duration = 0
            }
            entries[key]?[index] = updated
        }
    }
}
