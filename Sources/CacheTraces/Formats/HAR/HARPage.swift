import SessionModel

/// A page of a recording, or one run of a test that loads a page several times. Entries name it by their `pageref`.
public struct HARPage: Sendable, Equatable {
    /// The id; empty for the entries without a page.
    public let id: String
    /// The title, if the recording has one.
    public internal(set) var title: String?
    public internal(set) var entries = 0
    /// The number of entries that become requests of a trace.
    public internal(set) var images = 0
    /// The time at which the page began to load, in microseconds, from the list of pages, or from the first entry if it
    /// is earlier; nil if neither has a valid date.
    private(set) var started: Int64?

    mutating func begin(_ time: Int64) { started = min(started ?? time, time) }

    init(id: String) { self.id = id }

    /// Returns a label for lists, such as `2 'page_1_0_2' (Run 2, First View)`.
    package func label(_ number: Int) -> String {
        "\(number) " + (id.isEmpty ? "(without a page)" : "'\(id)'") + (title.map { " (\($0))" } ?? "")
    }
}

/// The pages of a recording, in the order of the file. Entries may stand before the list of pages, and name pages that
/// the list does not contain.
struct HARPages: Sendable {
    private(set) var all: [HARPage] = []
    private var numbers: [String: Int] = [:]

    /// Returns the index of the page with an id, which is added if it is new.
    mutating func index(_ id: String) -> Int {
        if let number = numbers[id] { return number }
        numbers[id] = all.count
        all.append(HARPage(id: id))
        return all.count - 1
    }

    mutating func declare(_ id: String?, title: String?, started: Int64?) {
        let page = index(id ?? "")
        if let title, !title.isEmpty, all[page].title == nil { all[page].title = title }
        if let started { all[page].begin(started) }
    }

    mutating func count(_ entry: HAREntry) -> Int {
        let page = index(entry.page)
        all[page].entries += 1
        if let started = entry.started { all[page].begin(started) }
        return page
    }

    mutating func countRequest(_ page: Int) { all[page].images += 1 }

    /// The indices of the pages with images, from which a trace can be made.
    var withImages: [Int] { all.indices.filter { all[$0].images > 0 } }

    /// Returns the index of the page with an id, a title or a number from 1; nil if there is no such page, or if
    /// several pages have the title.
    func named(_ name: String) -> Int? {
        if let index = all.firstIndex(where: { $0.id == name }) { return index }
        let titled = all.indices.filter { all[$0].title == name }
        if titled.count == 1 { return titled[0] }
        return Int(name).flatMap { all.indices.contains($0 - 1) ? $0 - 1 : nil }
    }

    /// The labels of up to 20 pages, for messages.
    var list: String { list(Array(all.indices)) }

    /// The labels of up to 20 pages with images, for messages.
    var listWithImages: String { list(withImages) }

    private func list(_ pages: [Int]) -> String {
        let labels = pages.prefix(20).map { all[$0].label($0 + 1) }
        return labels.joined(separator: ", ") + (pages.count > 20 ? " and \(pages.count - 20) more" : "")
    }
}

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

    /// Tells every entry how the program measures that wrote the file.
    mutating func settle(_ habits: HARHabits) {
        for place in entries.indices { entries[place].settle(habits) }
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
    /// entries overlap or time passes between them. The queue and the connection come from the first entry, whose host
    /// the request names. The transfer comes from the last entry. All else is spent before the first byte of the image.
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
