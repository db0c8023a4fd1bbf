/// A page of a recording, or one run of a test that loads a page several times. Entries name it by their `pageref`.
public struct HARPage: Sendable, Equatable {
    /// The id; empty for the entries without a page.
    public let id: String
    /// The title, if the recording has one.
    public internal(set) var title: String?
    /// The number of entries.
    public internal(set) var entries = 0
    /// The number of entries that become requests of a trace.
    public internal(set) var images = 0
    /// The time at which the page began to load, in microseconds: that of the list of pages, or of the first entry if
    /// that is earlier; nil if neither has a valid date.
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

    /// Returns the index of the page with an id, a title or a number from 1; nil if there is no such page or the title
    /// is that of several.
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
