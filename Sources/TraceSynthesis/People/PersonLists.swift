import Basics

/// The content of the lists of a person, visit by visit.
struct PersonLists {
    /// The list from its top.
    private(set) var items: [ListItem] = []
    private let model: PeopleModel
    private var random: RandomStream
    /// The number of pictures that exist.
    private var pictures = 0
    /// Fractions of new pictures that are due.
    private var due = 0.0
    /// The results of earlier searches, by keystroke.
    private var searches: [[[ListItem]]] = []

    init(_ model: PeopleModel, seed: UInt64) {
        self.model = model
        random = RandomStream(seed: seed, name: "lists")
        if model.app == .chat { pictures = Int(model[.chatContacts]) }
    }

    /// Creates a picture that is in no list yet, and returns its number.
    private mutating func newPicture() -> Int {
        pictures += 1
        return pictures - 1
    }

    /// Brings the list up to date, after an absence of some seconds; nil for the first visit.
    mutating func refresh(after seconds: Double?) {
        switch model.app {
        case .feed: refreshFeed(after: seconds)
        case .gallery:
            let new = seconds.map { takeDue($0 / 86_400 * model[.galleryNewPerDay]) } ?? Int(model[.galleryPictures])
            items = (0..<new).map { _ in ListItem(newPicture(), .thumbnail) } + items
        case .chat:
            let new = seconds.map { takeDue($0 / 86_400 * model[.chatNewPerDay]) } ?? Int(model[.chatMessages])
            items = (0..<new).map { _ in message() } + items
        case .search: break
        }
    }

    private mutating func takeDue(_ count: Double) -> Int {
        due += count
        let whole = due.rounded(.down)
        due -= whole
        return Int(whole)
    }

    /// A place of a refreshed feed has the next picture of the list before with a probability that falls with the gap,
    /// else a new one. Below, all pictures are new.
    private mutating func refreshFeed(after seconds: Double?) {
        var known = items[...]
        items.removeAll(keepingCapacity: true)
        guard let seconds else { return extend(to: 300) }
        let share = model[.keptShare] * PortableMath.exp(-seconds / (model[.keptTime] * 3_600))
        while items.count < 300 {
            if random.chance(share), let item = known.popFirst() {
                items.append(item)
            } else {
                items.append(ListItem(newPicture(), .full))
            }
        }
    }

    /// Appends new pictures to a feed.
    mutating func extend(to count: Int) {
        while items.count < count { items.append(ListItem(newPicture(), .full)) }
    }

    /// A message is a picture, or text beside the portrait of its writer.
    private mutating func message() -> ListItem {
        random.chance(model[.chatPictureShare])
            ? ListItem(newPicture(), .full) : ListItem(random.index(below: Int(model[.chatContacts])), .thumbnail)
    }

    /// Returns the results after each keystroke of a search: up to sixty pictures, half of which also match the
    /// shorter word.
    mutating func search(keystrokes: Int, random choice: inout RandomStream) -> [[ListItem]] {
        if !searches.isEmpty, choice.chance(model[.searchAgain]) {
            return searches[choice.index(below: searches.count)]
        }
        var stages: [[ListItem]] = []
        for _ in 0..<min(keystrokes, 30) {
            var results = stages.last?.filter { _ in random.chance(0.5) } ?? []
            while results.count < 60 { results.append(ListItem(newPicture(), .thumbnail)) }
            stages.append(results)
        }
        searches.append(stages)
        return stages
    }
}
