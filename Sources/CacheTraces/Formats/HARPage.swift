/// A page of a recording, or one run of a test that loads the same page several times: what entries name by their
/// `pageref`.
public struct HARPage: Sendable, Equatable {
    /// Empty for entries that belong to no page.
    public let id: String
    public internal(set) var title: String?
    public internal(set) var entries = 0
    /// Entries that become requests of a trace.
    public internal(set) var images = 0

    init(id: String) { self.id = id }

    /// `2 'page_1_0_2' (Run 2, First View)`, for lists to choose from.
    package func label(_ number: Int) -> String {
        "\(number) " + (id.isEmpty ? "(without a page)" : "'\(id)'") + (title.map { " (\($0))" } ?? "")
    }
}

/// The pages of a recording, in the order of the file. Entries may stand ahead of the list of pages, and name some that
/// it lacks.
struct HARPages: Sendable {
    private(set) var all: [HARPage] = []
    private var numbers: [String: Int] = [:]

    /// The place of the page called `id`, a new one where there was none.
    mutating func index(_ id: String) -> Int {
        if let number = numbers[id] { return number }
        numbers[id] = all.count
        all.append(HARPage(id: id))
        return all.count - 1
    }

    mutating func declare(_ id: String?, title: String?) {
        let page = index(id ?? "")
        if let title, !title.isEmpty, all[page].title == nil { all[page].title = title }
    }

    mutating func count(_ entry: HAREntry) -> Int {
        let page = index(entry.page)
        all[page].entries += 1
        if entry.image != nil { all[page].images += 1 }
        return page
    }

    /// Those that a trace can be made of.
    var withImages: [Int] { all.indices.filter { all[$0].images > 0 } }

    /// The page that `name` means: its id, its title or else its number from 1. Nil where none or several are called
    /// so.
    func named(_ name: String) -> Int? {
        if let index = all.firstIndex(where: { $0.id == name }) { return index }
        let titled = all.indices.filter { all[$0].title == name }
        if titled.count == 1 { return titled[0] }
        return Int(name).flatMap { all.indices.contains($0 - 1) ? $0 - 1 : nil }
    }

    /// For messages; a recording may have hundreds.
    var list: String {
        let labels = all.enumerated().prefix(20).map { $1.label($0 + 1) }
        return labels.joined(separator: ", ") + (all.count > 20 ? " and \(all.count - 20) more" : "")
    }
}
