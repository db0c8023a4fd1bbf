import SessionModel

/// The chains of redirects of a recording, each of which is one request.
///
/// A redirect leads to the first entry of its target's URL, on the same page, that began after it and to which no
/// earlier redirect leads. The order of time, and for equal times the order of the file, excludes loops.
struct HARRedirects {
    /// The entries that can be part of a chain: images and redirects, in the order of the file.
    private var entries: [HARImage] = []
    private var redirects = 0

    mutating func append(_ entry: HARImage, isRedirect: Bool) {
        entries.append(entry)
        if isRedirect { redirects += 1 }
    }

    /// Returns the requests for images: the images that no redirect leads to, and the chains with an image.
    ///
    /// Complexity: O(*n* log *n*).
    consuming func requests() -> [HARImage] {
        guard redirects > 0 else { return entries }
        let next = successors()
        var isReached = [Bool](repeating: false, count: entries.count)
        for case let target? in next { isReached[target] = true }
        var requests: [HARImage] = []
        for first in entries.indices where !isReached[first] {
            var chain = [entries[first]]
            var place = first
            while let following = next[place] {
                chain.append(entries[following])
                place = following
            }
            if let request = HARImage(chain) { requests.append(request) }
        }
        return requests
    }

    /// Returns the entry that each redirect leads to; nil for other entries, and for targets that were not recorded.
    private func successors() -> [Int?] {
        let targets = entries.map(\.entry.redirectTarget)
        let times = entries.map(\.entry.started)
        let wanted = Set(targets.compactMap(\.self))
        let ordered = entries.indices.sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) }
        var rank = [Int](repeating: 0, count: entries.count)
        var candidates: [Place: [Int]] = [:]
        for (position, index) in ordered.enumerated() {
            rank[index] = position
            guard times[index] != nil, let url = entries[index].entry.url else { continue }
            let compared = URLReference(url).compared
            if wanted.contains(compared) {
                candidates[Place(page: entries[index].page, url: compared), default: []].append(index)
            }
        }
        var used: [Place: Int] = [:]
        var next = [Int?](repeating: nil, count: entries.count)
        for index in ordered where times[index] != nil {
            guard let target = targets[index] else { continue }
            let place = Place(page: entries[index].page, url: target)
            guard let all = candidates[place] else { continue }
            // Later redirects cannot lead to entries that began before this one, so none is visited twice.
            var position = used[place] ?? 0
            while position < all.count, rank[all[position]] <= rank[index] { position += 1 }
            if position < all.count { next[index] = all[position] }
            used[place] = position + 1
        }
        return next
    }

    private struct Place: Hashable {
        var page: Int
        var url: String
    }
}

extension HARImage {
    /// Makes one request of the entries of a chain; nil if none of them is an image.
    ///
    /// The request has the URL and the time of the first entry, and the response of the last one. If the last entry is
    /// not an image, the request fails with the status of the last redirect.
    fileprivate init?(_ chain: [HARImage]) {
        let last = chain[chain.count - 1].entry
        guard chain.contains(where: { $0.entry.image != nil }) else { return nil }
        self = chain[0]
        if last.redirectTarget != nil {
            redirection = .lost
        } else if chain.count > 1 {
            redirection = .followed
        }
        guard chain.count > 1 else { return }
        entry = last
        entry.url = chain[0].entry.url
        entry.startedDateTime = chain[0].entry.startedDateTime
        fetch = Self.fetch(chain)
    }

    /// Returns the fetch of a chain. It lasts from the beginning of the first entry to the end of the last one, whether
    /// entries overlap or time passes between them. The queue and the connection are those of the first entry, whose
    /// host the request names, and the transfer is that of the last one. All else is spent before the first byte of the
    /// image.
    private static func fetch(_ chain: [HARImage]) -> Fetch {
        let (first, last) = (chain[0], chain[chain.count - 1])
        var fetch = last.fetch
        guard chain.contains(where: { $0.fetch.duration != nil }), let began = first.entry.started else { return fetch }
        func end(_ hop: HARImage) -> Int64? {
            hop.entry.started.flatMap { started in hop.fetch.duration.map { started + $0 } }
        }
        // A cache that answered the last entry recorded no times for it.
        let ended = end(last) ?? max(chain.compactMap(end).max() ?? began, last.entry.started ?? began)
        var left = max(0, ended - began - (fetch.transferTime ?? 0))
        func take(_ part: Int64?) -> Int64? {
            guard let part else { return nil }
            defer { left -= min(part, left) }
            return min(part, left)
        }
        fetch.queued = take(first.fetch.queued)
        fetch.connect = take(first.fetch.connect)
        fetch.networkProtocol = first.fetch.networkProtocol
        fetch.timeToFirstByte = left
        return fetch
    }
}
