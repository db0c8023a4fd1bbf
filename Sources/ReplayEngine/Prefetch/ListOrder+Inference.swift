import DequeModule
import SessionModel

/// The order of lists for sessions that do not record it.
///
/// A cell that appears for the first time stands beside those that appeared before it: behind them while the list moves
/// forward, and before them while it moves back. Cells that never appear are unknown, so a prefetch never guesses them,
/// and wrong guesses are fewer than in the app.
///
/// Only cells of which several are visible at a time form a list. Images that are opened one by one do not: which one
/// is opened next is the user's choice.
extension ListOrder {
    init(inferredFrom trace: Trace) {
        var changes: [Variant: [Change]] = [:]
        for variant in Variant.allCases {
            let inference = ListInference(trace, variant)
            guard inference.isList else { continue }
            changes[variant] = inference.objects.enumerated().map { position, object in
                let row = Int32(position / inference.columns)
                return Change(time: 0, item: Item(position: Int32(position), row: row, object: object))
            }
        }
        self.init(changes: changes)
    }
}

/// The list of one variant, as its appearances tell it.
private struct ListInference {
    private let variant: Variant
    private var chain = Chain()
    /// The visible cells, in the order of the screen. Without records of vanishing, those that appeared last.
    private var visible = Deque<ObjectID>()
    /// The cells that appear at the present time, in the order of the file, which is their order on the screen.
    private var batch: [ObjectID] = []
    private var isForward = true
    private let recordsVanishing: Bool
    /// The appearances of this variant, and of all.
    private var (own, all) = (0, 0)
    /// By number of cells: the batches of so many cells, and those that left so many cells visible.
    private var (batchSizes, visibleCounts): ([Int: Int], [Int: Int]) = ([:], [:])

    init(_ trace: Trace, _ variant: Variant) {
        self.variant = variant
        recordsVanishing = trace.events.contains { if case .disappear = $0.action { true } else { false } }
        var (time, offset) = (Int64.min, 0.0)
        for event in trace.events {
            if event.time != time { closeBatch() }
            time = event.time
            switch event.action {
            case .appear(let object, let appeared):
                all += 1
                guard appeared == variant else { continue }
                own += 1
                batch.append(object)
            case .disappear(let object, let vanished):
                guard vanished == variant else { continue }
                closeBatch()
                if let index = visible.firstIndex(of: object) { visible.remove(at: index) }
            case .scroll(_, let newOffset, let velocity):
                closeBatch()
                if velocity != 0 || newOffset != offset {
                    isForward = velocity != 0 ? velocity > 0 : newOffset > offset
                }
                offset = newOffset
            case .terminate:
                closeBatch()
                (visible, isForward) = ([], true)
            default: break
            }
        }
        closeBatch()
    }

    private mutating func closeBatch() {
        guard !batch.isEmpty else { return }
        chain.insert(batch, isForward ? .behind(visible.last) : .before(visible.first))
        if !recordsVanishing { visible = [] }
        if isForward { visible.append(contentsOf: batch) } else { visible.prepend(contentsOf: batch) }
        batchSizes[batch.count, default: 0] += 1
        visibleCounts[visible.count, default: 0] += 1
        batch = []
    }

    var objects: [ObjectID] { chain.objects }

    /// Whether several cells are usually visible at a time. A session that does not record when cells vanish has one
    /// list, of the variant that appears most.
    var isList: Bool {
        guard recordsVanishing else { return own * 2 > all }
        let several = visibleCounts.reduce(0) { $0 + ($1.key >= 2 ? $1.value : 0) }
        return several * 2 > visibleCounts.values.reduce(0, +)
    }

    /// The cells of a row: the most frequent number of cells that appear at one time.
    var columns: Int { batchSizes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 1 }
}

/// Objects in an order in which others can be inserted anywhere, in constant time.
private struct Chain {
    enum Place {
        /// Behind an object; nil for the end.
        case behind(ObjectID?)
        /// Before an object; nil for the start.
        case before(ObjectID?)
    }

    private var next: [ObjectID: ObjectID] = [:]
    private var previous: [ObjectID: ObjectID] = [:]
    private var (first, last): (ObjectID?, ObjectID?) = (nil, nil)

    /// Inserts those objects that are not in the chain. Each stands behind the one before it.
    mutating func insert(_ objects: [ObjectID], _ place: Place) {
        var behind: ObjectID? =
            switch place {
            case .behind(let object): object ?? last
            case .before(let object): object.flatMap { previous[$0] }
            }
        for object in objects {
            if object != first, previous[object] == nil { insert(object, behind: behind) }
            behind = object
        }
    }

    private mutating func insert(_ object: ObjectID, behind: ObjectID?) {
        let follower = behind.map { next[$0] } ?? first
        next[object] = follower
        previous[object] = behind
        if let behind { next[behind] = object } else { first = object }
        if let follower { previous[follower] = object } else { last = object }
    }

    var objects: [ObjectID] {
        Array(
            sequence(state: first) { object in
                defer { object = object.flatMap { next[$0] } }
                return object
            })
    }
}
