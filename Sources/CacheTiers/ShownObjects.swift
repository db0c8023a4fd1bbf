/// The objects that an app shows, by number: a dictionary without hashing.
struct ShownObjects {
    /// An object that the app shows.
    struct Entry {
        /// The number of cells that show it.
        var cells = 1
        /// Its cost; nil as long as the tier does not hold it.
        var cost: Int?
        /// The expiration that it has, or had, in the policy.
        var expiration: Int64?
    }

    /// In any order.
    private var entries: [(object: Int, entry: Entry)] = []
    /// By object: its place among the entries, or -1. Objects beyond the end have none.
    private var places: [Int32] = []

    var isEmpty: Bool { entries.isEmpty }

    var heldCount: Int { entries.count { $0.entry.cost != nil } }

    /// The entry of an object; nil if the app does not show it.
    subscript(object: Int) -> Entry? {
        get {
            let place = place(of: object)
            return place < 0 ? nil : entries[place].entry
        }
        set {
            let place = place(of: object)
            if let newValue {
                if place < 0 { add(object, newValue) } else { entries[place].entry = newValue }
            } else if place >= 0 {
                remove(at: place)
            }
        }
    }

    mutating func removeAll() {
        for (object, _) in entries { places[object] = -1 }
        entries.removeAll(keepingCapacity: true)
    }

    private func place(of object: Int) -> Int { object < places.count ? Int(places[object]) : -1 }

    private mutating func add(_ object: Int, _ entry: Entry) {
        if object >= places.count {
            places.append(contentsOf: repeatElement(-1, count: max(64, object + 1, places.count * 2) - places.count))
        }
        places[object] = Int32(entries.count)
        entries.append((object, entry))
    }

    private mutating func remove(at place: Int) {
        places[entries[place].object] = -1
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.object] = Int32(place)
    }
}
