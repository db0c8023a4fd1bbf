/// Partial responses (RFC 9111, sections 3.3 and 3.4).
extension HTTPCache {
    /// Stores a 206, or combines it with what is stored. Returns the answer if the request asked for the rest of a
    /// stored part; nil if the response is for the client as it came.
    mutating func storePart(_ response: ResponseHead, _ body: [UInt8], _ sent: SentRequest, _ times: Times)
        -> CacheAnswer?
    {
        guard let text = response.fields.first("Content-Range"), let content = ByteRanges.content(text),
            body.count <= content.range.count
        else {
            oddities.count(.invalidContentRange)
            return nil
        }
        if body.count < content.range.count { oddities.count(.invalidContentRange) }
        let freshness = freshness(of: response, times)
        guard sent.client.method == "GET", Storability(sent.client, response, freshness) == .storable else {
            return nil
        }
        let key = ResourceKey.key(sent.client.url)
        if let index = stored(sent.client.url).firstIndex(where: { canCombine($0, response, sent) }),
            var stored = entries[key]?[index], stored.combine(body, at: content.range.lowerBound)
        {
            stored.head.update(with: response)
            stored.freshness = self.freshness(of: stored.head, times)
            stored.wholeLength = stored.wholeLength ?? content.length
            entries[key]?[index] = stored
            guard sent.completes == stored.id else { return nil }
            return answer(from: stored, to: sent.client, at: times.received, source: .network)
        }
        guard !body.isEmpty else { return nil }
        insertPart(response, body, at: content.range.lowerBound, of: content.length, sent, freshness)
        return nil
    }

    /// Keeps the beginning of a response whose connection broke, if a strong validator can identify the rest.
    mutating func storeBeginning(_ response: ResponseHead, _ body: [UInt8], _ sent: SentRequest, _ times: Times) {
        let freshness = freshness(of: response, times)
        guard sent.client.method == "GET", response.status == 200, !body.isEmpty,
            Validators(response).tag?.isStrong == true, response.fields.first("Accept-Ranges") != "none",
            Storability(sent.client, response, freshness) == .storable
        else { return }
        var head = response
        head.status = 206
        let length = response.fields.first("Content-Length").flatMap { Int($0) }
        insertPart(head, body, at: 0, of: length.flatMap { $0 > body.count ? $0 : nil }, sent, freshness)
    }

    private mutating func insertPart(
        _ response: ResponseHead, _ body: [UInt8], at offset: Int, of length: Int?, _ sent: SentRequest,
        _ freshness: ResponseFreshness
    ) {
        let key = ResourceKey.key(sent.client.url)
        // Parts replace parts of the same variant. A complete response stays: it serves every range while it is fresh.
        entries[key]?.removeAll { !$0.isComplete && $0.vary.matches(sent.client.fields) }
        entries[key, default: []].append(
            StoredResponse(
                id: newID(), head: ResponseHead(206, response.fields.withoutConnectionFields), body: body,
                offset: offset, wholeLength: length, freshness: freshness,
                vary: VaryKey(response.fields, request: sent.client.fields)))
    }

    /// Parts belong together only if a strong validator says so (RFC 9110, section 15.3.7.3).
    private func canCombine(_ stored: StoredResponse, _ response: ResponseHead, _ sent: SentRequest) -> Bool {
        guard stored.vary.matches(sent.client.fields), !stored.isComplete || stored.head.status == 206,
            let own = stored.validators.tag, let tag = Validators(response).tag
        else { return false }
        return own.isStrong && own.equalsStrongly(tag)
    }
}
