import Dispatch
import Synchronization

/// Work of several threads on groups of items, such as traces and the runs of each.
///
/// A worker takes the next group, makes it ready, and works on its items. A worker for which no group is left helps
/// with the items of others. So at most one group for each worker is in memory.
///
/// ```swift
/// let batch = Batch<PreparedTrace>(groups: files.count)
/// batch.run(threads: 4, prepare: { file in (read(file), items: caches.count) }) { trace, file, cache in
///     replay(trace, caches[cache])
/// }
/// ```
public final class Batch<Group: Sendable>: Sendable {
    private struct Ready {
        let group: Group
        let items: Int
        /// The first item that no worker has taken.
        var next = 0
        /// The number of items in work.
        var open = 0
    }

    private enum Step {
        case prepare(Int)
        case work(Int, Group, item: Int)
        /// Other workers make groups ready, whose items can be taken then.
        case wait(DispatchSemaphore)
        case end
    }

    private struct State {
        var nextGroup = 0
        var groups: Int
        /// The number of groups that are being made ready.
        var preparing = 0
        /// By number of the group.
        var ready: [Int: Ready] = [:]
        var waiting: [DispatchSemaphore] = []
        var isCancelled = false
    }

    private let state: Mutex<State>

    public init(groups: Int) { state = Mutex(State(groups: groups)) }

    /// Ends the work: no group and no item is begun any more.
    public func cancel() { state.withLock { $0.isCancelled = true } }

    /// Begins no further group. The items of groups that are ready, or are being made ready, are finished.
    public func beginNoGroup() { state.withLock { $0.groups = $0.nextGroup } }

    /// Works on all groups, and returns when all calls have returned.
    ///
    /// Groups are begun in order, and items of a group too. Every function is called on several threads at a time.
    /// - Parameters:
    ///   - threads: The most threads that work at a time, with the calling one.
    ///   - prepare: Receives the number of a group, and returns the group with the number of its items, or nil if there
    ///     is nothing to do.
    ///   - release: Receives a group after its last item. After ``cancel()``, it also receives the groups whose items
    ///     were not all begun.
    ///   - work: Receives a group, its number, and the number of an item.
    public func run(
        threads: Int, prepare: @escaping @Sendable (_ number: Int) -> (Group, items: Int)?,
        release: @escaping @Sendable (_ group: Group, _ number: Int) -> Void = { _, _ in },
        work: @escaping @Sendable (_ group: Group, _ number: Int, _ item: Int) -> Void
    ) {
        DetachedThread.share(threads: threads) { [self] in
            // A worker stays with its group as long as that has items.
            var own: Int?
            while true {
                switch next(after: own) {
                case .prepare(let number):
                    let group = prepare(number)
                    if let empty = keep(group, number) { release(empty, number) }
                    own = number
                case .work(let number, let group, let item):
                    work(group, number, item)
                    if hasEnded(number) { release(group, number) }
                    own = number
                case .wait(let semaphore): semaphore.wait()
                case .end: return
                }
            }
        }
        for (number, ready) in state.withLock({ $0.ready }) { release(ready.group, number) }
    }

    private func next(after own: Int?) -> Step {
        state.withLock { state in
            guard !state.isCancelled else { return .end }
            if let own, let step = Self.item(of: own, &state) { return step }
            if state.nextGroup < state.groups {
                state.nextGroup += 1
                state.preparing += 1
                return .prepare(state.nextGroup - 1)
            }
            for number in state.ready.keys.sorted() { if let step = Self.item(of: number, &state) { return step } }
            guard state.preparing > 0 else { return .end }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return .wait(semaphore)
        }
    }

    private static func item(of number: Int, _ state: inout State) -> Step? {
        guard var ready = state.ready[number], ready.next < ready.items else { return nil }
        defer { state.ready[number] = ready }
        ready.next += 1
        ready.open += 1
        return .work(number, ready.group, item: ready.next - 1)
    }

    /// Takes a group that is ready. Returns the group if it has no items.
    private func keep(_ group: (Group, items: Int)?, _ number: Int) -> Group? {
        state.withLock { state in
            state.preparing -= 1
            for semaphore in state.waiting { semaphore.signal() }
            state.waiting = []
            guard let (group, items) = group else { return nil }
            guard items > 0 else { return group }
            state.ready[number] = Ready(group: group, items: items)
            return nil
        }
    }

    /// Notes the end of an item. Returns whether it was the last one of its group.
    private func hasEnded(_ number: Int) -> Bool {
        state.withLock { state in
            guard var ready = state.ready[number] else { return false }
            ready.open -= 1
            let isOver = ready.open == 0 && ready.next == ready.items
            state.ready[number] = isOver ? nil : ready
            return isOver
        }
    }
}
