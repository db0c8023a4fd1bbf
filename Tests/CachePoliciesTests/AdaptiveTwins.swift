import Basics
import CachePolicies
import Foundation

/// Twins of policies that learn from what they have let go.
extension SlowTwinTests {
    static let adaptivePairs: [Pair] = [
        ("arc(4 objects)", SlowARC(objects: 4)),
        ("arc(1 objects)", SlowARC(objects: 1)),
        ("arc(20B)", SlowARC(bytes: 20)),
        ("arc(20B, 3 objects)", SlowARC(bytes: 20, objects: 3)),
        ("arc(5 objects)", SlowPageARC(pages: 5)),
        ("arc(4 objects, compat: libcachesim)", SlowARC(objects: 4, oneGhostEach: true)),
        ("arc(20B, compat: libcachesim)", SlowARC(bytes: 20, oneGhostEach: true)),
        ("lirs(4 objects)", SlowLIRS(objects: 4)),
        ("lirs(1 objects)", SlowLIRS(objects: 1)),
        ("lirs(6 objects, hir: 0.5, stack: 1)", SlowLIRS(objects: 6, hir: 0.5, stack: 1)),
        ("lirs(30B, 3 objects, hir: 0.2, stack: 3)", SlowLIRS(bytes: 30, objects: 3, hir: 0.2, stack: 3)),
        ("lirs(4 objects, compat: libcachesim)", SlowLIRS(objects: 4, likeLibCacheSim: true)),
        ("lirs(30B, hir: 0.4, compat: libcachesim)", SlowLIRS(bytes: 30, hir: 0.4, likeLibCacheSim: true)),
        ("lru-k(4 objects)", SlowLRUK(objects: 4)),
        ("lru-k(4 objects, k: 1)", SlowLRUK(objects: 4, k: 1)),
        ("lru-k(20B, k: 3, correlated: 2, retained: 0.4)", SlowLRUK(bytes: 20, k: 3, correlated: 2, retained: 8)),
        ("lru-k(20B, 3 objects, correlated: 40)", SlowLRUK(bytes: 20, objects: 3, correlated: 40)),
        ("car(4 objects)", SlowCAR(objects: 4)),
        ("car(1 objects)", SlowCAR(objects: 1)),
        ("car(20B)", SlowCAR(bytes: 20)),
        ("car(20B, 3 objects)", SlowCAR(bytes: 20, objects: 3)),
        ("clock-pro(4 objects)", SlowClockPro(objects: 4)),
        ("clock-pro(1 objects)", SlowClockPro(objects: 1)),
        ("clock-pro(20B, cold: 0.3)", SlowClockPro(bytes: 20, cold: 6)),
        ("clock-pro(20B, 3 objects, cold: 1)", SlowClockPro(bytes: 20, objects: 3, cold: 20)),
        ("lecar(4 objects)", SlowLeCaR(objects: 4)),
        ("lecar(20B, seed: 3)", SlowLeCaR(bytes: 20, seed: 3)),
        (
            "lecar(20B, 3 objects, learning: 0.9, discount: 0.5, history: 1)",
            SlowLeCaR(bytes: 20, objects: 3, learning: 0.9, discount: 0.5, history: 20)
        ),
        ("cacheus(4 objects)", SlowCacheus(objects: 4)),
        ("cacheus(1 objects)", SlowCacheus(objects: 1)),
        ("cacheus(20B, seed: 3)", SlowCacheus(bytes: 20, seed: 3)),
        ("cacheus(40B, 5 objects, history: 1, scan: 0.2)", SlowCacheus(bytes: 40, objects: 5, history: 40, scan: 8)),
        ("adaptive-climb(4 objects)", SlowClimb(objects: 4)),
        ("adaptive-climb(1 objects)", SlowClimb(objects: 1)),
        ("adaptive-climb(20B)", SlowClimb(bytes: 20)),
        ("adaptive-climb(30B, 4 objects)", SlowClimb(bytes: 30, objects: 4)),
    ]
}

/// Limits and a measure for twins: bytes where they are limited, otherwise objects.
struct SlowLimits {
    var bytes = Int.max
    var objects = Int.max

    var capacity: Int { bytes == .max ? objects : bytes }

    func size(_ entry: AdaptiveEntry) -> Int { bytes == .max ? 1 : entry.size }

    func size(_ entries: [AdaptiveEntry]) -> Int { entries.map { size($0) }.reduce(0, +) }

    func hold(_ entries: [AdaptiveEntry]) -> Bool {
        entries.map(\.size).reduce(0, +) <= bytes && entries.count <= objects
    }
}

struct AdaptiveEntry {
    var object: Int
    var size: Int
}

extension [AdaptiveEntry] {
    /// Takes the object out; nil where it is not in.
    mutating func take(_ object: Int) -> AdaptiveEntry? {
        firstIndex { $0.object == object }.map { remove(at: $0) }
    }

    func has(_ object: Int) -> Bool { contains { $0.object == object } }
}

/// ARC with sizes: lists, oldest first.
struct SlowARC: SlowTwin {
    var limits: SlowLimits
    var t1: [AdaptiveEntry] = []
    var t2: [AdaptiveEntry] = []
    var b1: [AdaptiveEntry] = []
    var b2: [AdaptiveEntry] = []
    var p = 0.0

    /// libCacheSim's details.
    let oneGhostEach: Bool

    init(bytes: Int = .max, objects: Int = .max, oneGhostEach: Bool = false) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        self.oneGhostEach = oneGhostEach
    }

    var held: [Int] { (t1 + t2).map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let entry = t1.take(access.object) ?? t2.take(access.object) else { return .miss }
        t2.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let entry = AdaptiveEntry(object: access.object, size: access.size)
        let (size1, size2) = (Double(max(1, limits.size(b1))), Double(max(1, limits.size(b2))))
        let step = oneGhostEach ? 1 : Double(limits.size(entry))
        let (inB1, inB2, inT2) = (b1.has(access.object), b2.has(access.object), t2.has(access.object))
        let isNew = !inB1 && !inB2 && !held.contains(access.object)
        if inB1 { p = min(p + step * max(1, size2 / size1), Double(limits.capacity)) }
        if inB2 { p = max(p - step * max(1, size1 / size2), 0) }
        remove(access.object)
        guard limits.hold([entry]) else { return [] }
        var victims: [Int] = []
        while !limits.hold(t1 + t2 + [entry]) {
            if oneGhostEach, isNew {
                if limits.size(t1 + b1 + [entry]) > limits.capacity {
                    if b1.isEmpty, !t1.isEmpty {
                        victims.append(t1.removeFirst().object)
                        continue
                    }
                    if !b1.isEmpty { b1.removeFirst() }
                } else if limits.size(t1 + t2 + b1 + b2) >= 2 * limits.capacity, !b2.isEmpty {
                    b2.removeFirst()
                }
            }
            let size = Double(limits.size(t1))
            if !t1.isEmpty && (size > p || inB2 && size == p) || t2.isEmpty {
                b1.append(t1.removeFirst())
                victims += b1.suffix(1).map(\.object)
            } else {
                b2.append(t2.removeFirst())
                victims += b2.suffix(1).map(\.object)
            }
        }
        if inB1 || inB2 || inT2 { t2.append(entry) } else { t1.append(entry) }
        if oneGhostEach { return victims }
        while limits.size(t1 + b1) > limits.capacity { b1.removeFirst() }
        while limits.size(t1 + t2 + b1 + b2) > 2 * limits.capacity { b2.removeFirst() }
        return victims
    }

    mutating func remove(_ object: Int) {
        _ = t1.take(object)
        _ = t2.take(object)
        _ = b1.take(object)
        _ = b2.take(object)
    }
}

/// ARC(c) case by case, as Figure 4 of the paper has it; except that no object leaves while there is room, as there is
/// after a removal.
struct SlowPageARC: SlowTwin {
    let pages: Int
    var t1: [Int] = []
    var t2: [Int] = []
    var b1: [Int] = []
    var b2: [Int] = []
    var p = 0.0

    var held: [Int] { t1 + t2 }

    mutating func lookup(_ access: Access) -> Lookup {
        guard held.contains(access.object) else { return .miss }
        remove(access.object)
        t2.append(access.object)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        var victims: [Int] = []
        if t1.contains(x) || t2.contains(x) {
            let first = t1.contains(x)
            remove(x)
            if first { t1.append(x) } else { t2.append(x) }
        } else if b1.contains(x) {
            p = min(p + (b1.count >= b2.count ? 1 : Double(b2.count) / Double(b1.count)), Double(pages))
            replace(x, &victims)
            remove(x)
            t2.append(x)
        } else if b2.contains(x) {
            p = max(p - (b2.count >= b1.count ? 1 : Double(b1.count) / Double(b2.count)), 0)
            replace(x, &victims)
            remove(x)
            t2.append(x)
        } else {
            if t1.count + b1.count == pages {
                if t1.count < pages {
                    b1.removeFirst()
                    replace(x, &victims)
                } else {
                    victims.append(t1.removeFirst())
                }
            } else if t1.count + t2.count + b1.count + b2.count >= pages {
                if t1.count + t2.count + b1.count + b2.count == 2 * pages { b2.removeFirst() }
                replace(x, &victims)
            }
            t1.append(x)
        }
        return victims
    }

    mutating func replace(_ x: Int, _ victims: inout [Int]) {
        guard t1.count + t2.count == pages else { return }
        if !t1.isEmpty && (b2.contains(x) && Double(t1.count) == p || Double(t1.count) > p) {
            b1.append(t1[0])
            victims.append(t1.removeFirst())
        } else {
            b2.append(t2[0])
            victims.append(t2.removeFirst())
        }
    }

    mutating func remove(_ object: Int) {
        t1.removeAll { $0 == object }
        t2.removeAll { $0 == object }
        b1.removeAll { $0 == object }
        b2.removeAll { $0 == object }
    }
}

/// LIRS in the paper's words, with sizes: the stack from its bottom, the queue from its front.
struct SlowLIRS: SlowTwin {
    var limits: SlowLimits
    let lirLimit: Int
    let hirLimit: Int
    let stackLimit: Int
    let likeLibCacheSim: Bool
    /// Whether an object that its own hit pushes out of the queue stays held, above the capacity.
    let keepsPhantoms: Bool
    var phantoms: Set<Int> = []
    var stack: [AdaptiveEntry] = []
    var queue: [AdaptiveEntry] = []
    var lir: [AdaptiveEntry] = []
    /// Those in the stack that are not resident, by eviction.
    var left: [Int] = []

    init(
        bytes: Int = .max, objects: Int = .max, hir: Double = 0.01, stack: Int = 2, likeLibCacheSim: Bool = false,
        keepsPhantoms: Bool = false
    ) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        hirLimit = max(1, Int(Double(limits.capacity) * hir))
        lirLimit = max(0, limits.capacity - hirLimit)
        stackLimit = stack * limits.capacity
        self.likeLibCacheSim = likeLibCacheSim
        self.keepsPhantoms = keepsPhantoms
    }

    var held: [Int] { (lir + queue).map(\.object) + phantoms }

    mutating func lookup(_ access: Access) -> Lookup {
        let x = access.object
        guard held.contains(x) else { return .miss }
        let inStack = stack.take(x)
        if lir.has(x) {
            // An LIR block: to the top of the stack.
            if let inStack { stack.append(inStack) }
            prune()
        } else if let entry = inStack {
            // A resident HIR block in the stack: it becomes LIR, and the LIR block at the bottom becomes HIR.
            stack.append(entry)
            _ = queue.take(x)
            phantoms.remove(x)
            if limits.size(entry) > lirLimit {
                queue.append(entry)
            } else {
                _ = makeRoom(entry)
                lir.append(entry)
            }
        } else if let entry = queue.take(x) {
            // A resident HIR block that is in the queue alone: it stays HIR.
            queue.append(entry)
            if likeLibCacheSim { _ = makeRoom(entry) }
            stack.append(entry)
            if !queue.has(x) {
                if keepsPhantoms { phantoms.insert(x) } else { left.append(x) }
            }
            prune()
            limitStack()
        }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        let entry = AdaptiveEntry(object: x, size: access.size)
        let size = limits.size(entry)
        let isHot = (left.contains(x) || lir.has(x)) && size <= lirLimit
        remove(x)
        guard limits.hold([entry]) else { return [] }
        if likeLibCacheSim, !isHot, size > lirLimit || size > hirLimit { return [] }
        var victims: [Int] = []
        let becomesLIR = isHot || limits.size(lir + [entry]) <= lirLimit
        if becomesLIR { victims += makeRoom(entry) }
        if !becomesLIR, likeLibCacheSim {
            while limits.size(queue + [entry]) > hirLimit { victims.append(evict()) }
        }
        while !limits.hold(lir + queue + [entry]) {
            if queue.isEmpty { victims += demote() } else { victims.append(evict()) }
        }
        stack.append(entry)
        if becomesLIR { lir.append(entry) } else { queue.append(entry) }
        prune()
        limitStack()
        return victims
    }

    mutating func makeRoom(_ entry: AdaptiveEntry) -> [Int] {
        var victims: [Int] = []
        while limits.size(lir + [entry]) > lirLimit, !lir.isEmpty { victims += demote() }
        return victims
    }

    /// The LIR block at the bottom becomes HIR.
    mutating func demote() -> [Int] {
        guard let index = stack.firstIndex(where: { lir.has($0.object) }) else { return [] }
        let entry = stack.remove(at: index)
        _ = lir.take(entry.object)
        var victims: [Int] = []
        while likeLibCacheSim, !queue.isEmpty, limits.size(queue + [entry]) > hirLimit { victims.append(evict()) }
        if likeLibCacheSim && limits.size(entry) > hirLimit {
            victims.append(entry.object)
        } else {
            queue.append(entry)
        }
        prune(sparing: stack.last?.object)
        return victims
    }

    mutating func evict() -> Int {
        let victim = queue.removeFirst().object
        if stack.has(victim) { left.append(victim) }
        return victim
    }

    /// `sparing`: the block that is about to become LIR, at the top.
    mutating func prune(sparing top: Int? = nil) {
        while let bottom = stack.first?.object, !lir.has(bottom) {
            if bottom == top, !queue.has(bottom), !left.contains(bottom), !phantoms.contains(bottom) { return }
            stack.removeFirst()
            phantoms.remove(bottom)
            left.removeAll { $0 == bottom }
        }
    }

    mutating func limitStack() {
        while limits.size(stack) > stackLimit, !left.isEmpty { _ = stack.take(left.removeFirst()) }
    }

    mutating func remove(_ object: Int) {
        _ = stack.take(object)
        _ = queue.take(object)
        _ = lir.take(object)
        phantoms.remove(object)
        left.removeAll { $0 == object }
        prune()
    }
}

/// LRU-K with every HIST in a dictionary, and a search for each victim.
struct SlowLRUK: SlowTwin {
    var limits: SlowLimits
    let k: Int
    let correlated: Int
    let retained: Int
    var entries: [AdaptiveEntry] = []
    /// Those who left, the first first.
    var memory: [AdaptiveEntry] = []
    var times: [Int: [Int]] = [:]
    var last: [Int: Int] = [:]
    var clock = 0
    var noted = 0

    init(bytes: Int = .max, objects: Int = .max, k: Int = 2, correlated: Int = 0, retained: Int? = nil) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        self.k = k
        self.correlated = correlated
        self.retained = retained ?? limits.capacity
    }

    var held: [Int] { entries.map(\.object) }

    mutating func note() -> Int {
        clock = max(clock, noted + 1)
        noted = clock
        return clock
    }

    mutating func lookup(_ access: Access) -> Lookup {
        clock += 1
        let x = access.object
        guard held.contains(x), let before = last[x], let history = times[x] else { return .miss }
        let now = note()
        if now - before > correlated {
            let period = before - history[0]
            times[x] = [now] + history.dropLast().map { $0 == 0 ? 0 : $0 + period }
        }
        last[x] = now
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        let entry = AdaptiveEntry(object: x, size: access.size)
        let wasHeld = held.contains(x)
        let history = memory.has(x) || wasHeld ? times[x] : nil
        let before = last[x]
        remove(x)
        guard limits.hold([entry]) else { return [] }
        var victims: [Int] = []
        while !limits.hold(entries + [entry]) {
            let eligible = held.filter { clock - (last[$0] ?? 0) > correlated }
            let victim = (eligible.isEmpty ? held : eligible).min {
                (times[$0]?.last ?? 0, last[$0] ?? 0) < (times[$1]?.last ?? 0, last[$1] ?? 0)
            }
            guard let victim, let gone = entries.take(victim) else { break }
            victims.append(victim)
            memory.append(gone)
            while limits.size(memory) > retained { memory.removeFirst() }
        }
        entries.append(entry)
        if wasHeld {
            times[x] = history
            last[x] = before
        } else {
            let now = note()
            times[x] = [now] + (history ?? Array(repeating: 0, count: k)).dropLast()
            last[x] = now
        }
        return victims
    }

    mutating func remove(_ object: Int) {
        _ = entries.take(object)
        _ = memory.take(object)
        times[object] = nil
        last[object] = nil
    }
}

/// CAR as Figure 2 of the paper has it, with sizes: clocks as lists, the hand at the start.
struct SlowCAR: SlowTwin {
    var limits: SlowLimits
    var t1: [AdaptiveEntry] = []
    var t2: [AdaptiveEntry] = []
    var b1: [AdaptiveEntry] = []
    var b2: [AdaptiveEntry] = []
    var referenced: Set<Int> = []
    var p = 0.0

    init(bytes: Int = .max, objects: Int = .max) { limits = SlowLimits(bytes: bytes, objects: objects) }

    var held: [Int] { (t1 + t2).map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard held.contains(access.object) else { return .miss }
        referenced.insert(access.object)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        let entry = AdaptiveEntry(object: x, size: access.size)
        let wasInT2 = t2.has(x)
        if held.contains(x) || !limits.hold([entry]) { remove(x) }
        guard limits.hold([entry]) else { return [] }
        var victims: [Int] = []
        while !limits.hold(t1 + t2 + [entry]) { victims.append(replace()) }
        let (size1, size2) = (Double(max(1, limits.size(b1))), Double(max(1, limits.size(b2))))
        let step = Double(limits.size(entry))
        if b1.take(x) != nil {
            p = min(p + step * max(1, size2 / size1), Double(limits.capacity))
            t2.append(entry)
        } else if b2.take(x) != nil {
            p = max(p - step * max(1, size1 / size2), 0)
            t2.append(entry)
        } else if wasInT2 {
            t2.append(entry)
        } else {
            t1.append(entry)
        }
        while limits.size(t1 + b1) > limits.capacity { b1.removeFirst() }
        while limits.size(t1 + t2 + b1 + b2) > 2 * limits.capacity { b2.removeFirst() }
        return victims
    }

    mutating func replace() -> Int {
        while true {
            if t2.isEmpty || !t1.isEmpty && Double(limits.size(t1)) >= max(1, p) {
                let head = t1.removeFirst()
                if referenced.remove(head.object) == nil {
                    b1.append(head)
                    return head.object
                }
                t2.append(head)
            } else {
                let head = t2.removeFirst()
                if referenced.remove(head.object) == nil {
                    b2.append(head)
                    return head.object
                }
                t2.append(head)
            }
        }
    }

    mutating func remove(_ object: Int) {
        _ = t1.take(object)
        _ = t2.take(object)
        _ = b1.take(object)
        _ = b2.take(object)
        referenced.remove(object)
    }
}

/// CLOCK-Pro: the ring as a list, hands as objects.
struct SlowClockPro: SlowTwin {
    struct Page {
        var entry: AdaptiveEntry
        var isHot = false
        var isResident = true
        var isOnTrial = true
        var isReferenced = false
    }

    var limits: SlowLimits
    var ring: [Page] = []
    /// Places in the ring. The head of the list is just before `handHot`.
    var handHot = 0
    var handCold = 0
    var handTest = 0
    var coldTarget: Int

    init(bytes: Int = .max, objects: Int = .max, cold: Int? = nil) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        coldTarget = cold ?? 1
    }

    var residents: [AdaptiveEntry] { ring.filter(\.isResident).map(\.entry) }

    var held: [Int] { residents.map(\.object) }

    var hotSize: Int { limits.size(ring.filter(\.isHot).map(\.entry)) }

    func place(_ object: Int) -> Int? { ring.firstIndex { $0.entry.object == object } }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = place(access.object), ring[place].isResident else { return .miss }
        ring[place].isReferenced = true
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let entry = AdaptiveEntry(object: access.object, size: access.size)
        let before = place(access.object).map { ring[$0] }
        remove(access.object)
        guard limits.hold([entry]) else { return [] }
        let returns = before?.isResident == false
        if returns { coldTarget = min(coldTarget + limits.size(entry), limits.capacity) }
        var victims: [Int] = []
        while !limits.hold(residents + [entry]) { victims += runHandCold() }
        var page = Page(entry: entry)
        page.isHot = returns || before?.isHot == true
        page.isOnTrial = !page.isHot
        insertAtHead(page)
        if page.isHot { balance() }
        while limits.size(ring.filter { !$0.isResident }.map(\.entry)) > limits.capacity {
            let test = handTest
            advance(\.handTest)
            endTrial(test)
        }
        return victims
    }

    mutating func runHandCold() -> [Int] {
        guard ring.contains(where: { $0.isResident && !$0.isHot }) else {
            runHandHot()
            return []
        }
        var page = ring[handCold]
        if page.isReferenced {
            take(handCold)
            page.isReferenced = false
            page.isHot = page.isOnTrial
            page.isOnTrial.toggle()
            if page.isHot { coldTarget = min(coldTarget + limits.size(page.entry), limits.capacity) }
            insertAtHead(page)
            if page.isHot { balance() }
            return []
        }
        if page.isOnTrial {
            ring[handCold].isResident = false
            seekCold()
        } else {
            take(handCold)
        }
        return [page.entry.object]
    }

    func isCold(_ page: Page) -> Bool { page.isResident && !page.isHot }

    /// The hand rests at a cold page if there is one.
    mutating func seekCold() {
        while ring.contains(where: isCold), !isCold(ring[handCold]) { advance(\.handCold) }
    }

    mutating func balance() {
        while hotSize > limits.capacity - coldTarget, ring.filter(\.isHot).count > 1 { runHandHot() }
    }

    mutating func runHandHot() {
        while true {
            let place = handHot
            advance(\.handHot)
            if !ring[place].isHot {
                endTrial(place)
            } else if ring[place].isReferenced {
                ring[place].isReferenced = false
            } else {
                ring[place].isHot = false
                seekCold()
                return
            }
        }
    }

    mutating func endTrial(_ place: Int) {
        let page = ring[place]
        guard page.isOnTrial else { return }
        if !page.isReferenced { coldTarget = max(0, coldTarget - limits.size(page.entry)) }
        ring[place].isOnTrial = false
        if !page.isResident { take(place) }
    }

    mutating func advance(_ hand: WritableKeyPath<SlowClockPro, Int>) {
        self[keyPath: hand] = (self[keyPath: hand] + 1) % ring.count
    }

    mutating func insertAtHead(_ page: Page) {
        let place = handHot
        ring.insert(page, at: place)
        guard ring.count > 1 else { return }
        // Hands stay on their pages.
        handHot += 1
        if handCold >= place { handCold += 1 }
        if handTest >= place { handTest += 1 }
        seekCold()
    }

    /// A hand on the page moves to the next one.
    mutating func take(_ place: Int) {
        ring.remove(at: place)
        func moved(_ hand: Int) -> Int { ring.isEmpty ? 0 : (hand > place ? hand - 1 : hand) % ring.count }
        (handHot, handCold, handTest) = (moved(handHot), moved(handCold), moved(handTest))
        seekCold()
    }

    mutating func remove(_ object: Int) {
        if let place = place(object) { take(place) }
    }
}

/// LeCaR with the same draws in the same order.
struct SlowLeCaR: SlowTwin {
    var limits: SlowLimits
    let learning: Double
    let discount: Double
    let historyLimit: Int
    var random: SplitMix64
    /// Least recent first.
    var entries: [AdaptiveEntry] = []
    var lruHistory: [AdaptiveEntry] = []
    var lfuHistory: [AdaptiveEntry] = []
    var frequencies: [Int: Int] = [:]
    var departures: [Int: Int] = [:]
    var weights = (lru: 0.5, lfu: 0.5)
    var time = 0

    init(
        bytes: Int = .max, objects: Int = .max, learning: Double = 0.45, discount: Double = 0.005, history: Int? = nil,
        seed: UInt64 = 0
    ) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        self.learning = learning
        self.discount = discount
        historyLimit = history ?? limits.capacity / 2
        random = SplitMix64(seed: seed)
    }

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        time += 1
        guard let entry = entries.take(access.object) else { return .miss }
        entries.append(entry)
        frequencies[access.object, default: 0] += 1
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        let entry = AdaptiveEntry(object: x, size: access.size)
        var frequency = frequencies[x] ?? 0
        if !held.contains(x) { frequency += 1 }
        let away = Double(time - (departures[x] ?? 0)) / Double(max(1, entries.count))
        let factor = exp(learning * pow(discount, away))
        if lruHistory.has(x) { weights.lfu *= factor }
        if lfuHistory.has(x) { weights.lru *= factor }
        let lru = min(max(weights.lru / (weights.lru + weights.lfu), 0.01), 0.99)
        weights = (lru, 1 - lru)
        remove(x)
        guard limits.hold([entry]) else { return [] }
        var victims: [Int] = []
        while !limits.hold(entries + [entry]) {
            let recency = held[0]
            // The first of equals: the least recent.
            let frequent = held.min { frequencies[$0, default: 0] < frequencies[$1, default: 0] } ?? recency
            let victim: Int
            if recency == frequent {
                victim = recency
                _ = entries.take(victim)
                frequencies[victim] = nil
            } else if random.fraction() < weights.lru {
                victim = recency
                if let gone = entries.take(victim) { lruHistory.append(gone) }
            } else {
                victim = frequent
                if let gone = entries.take(victim) { lfuHistory.append(gone) }
            }
            departures[victim] = time
            victims.append(victim)
            while limits.size(lruHistory) > historyLimit { frequencies[lruHistory.removeFirst().object] = nil }
            while limits.size(lfuHistory) > historyLimit { frequencies[lfuHistory.removeFirst().object] = nil }
        }
        entries.append(entry)
        frequencies[x] = frequency
        return victims
    }

    mutating func remove(_ object: Int) {
        _ = entries.take(object)
        _ = lruHistory.take(object)
        _ = lfuHistory.take(object)
        frequencies[object] = nil
    }
}

/// CACHEUS with the same draws in the same order; R and SR are SR-LRU's parts, least recent first.
struct SlowCacheus: SlowTwin {
    struct Item {
        var entry: AdaptiveEntry
        var frequency: Int
        var time = 0
        var isDemoted = false
        var isNew = false
    }

    var limits: SlowLimits
    let historyLimit: Int
    var random: SplitMix64
    var r: [Item] = []
    var sr: [Item] = []
    var lruHistory: [Item] = []
    var lfuHistory: [Item] = []
    var srLimit: Int
    var lruWeight = 0.5
    var time = 0
    // The learning rate: λ, the one before, and the hit rate before.
    var rate: Double
    var rateBefore: Double
    var hitRate = 0.0
    var idlePeriods = 0
    var period: [Bool] = []

    init(bytes: Int = .max, objects: Int = .max, history: Int? = nil, scan: Int = 1, seed: UInt64 = 0) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        historyLimit = history ?? limits.capacity / 2
        srLimit = scan
        random = SplitMix64(seed: seed)
        rate = 0.001 + random.fraction() * 0.999
        rateBefore = rate
    }

    var held: [Int] { (r + sr).map(\.entry.object) }

    var rLimit: Int { max(0, limits.capacity - srLimit) }

    func size(_ items: [Item]) -> Int { limits.size(items.map(\.entry)) }

    static func take(_ object: Int, from items: inout [Item]) -> Item? {
        items.firstIndex { $0.entry.object == object }.map { items.remove(at: $0) }
    }

    mutating func lookup(_ access: Access) -> Lookup {
        time += 1
        let found: Lookup
        if var item = Self.take(access.object, from: &r) {
            item.frequency += 1
            item.time = time
            r.append(item)
            found = .hit
        } else if let place = sr.firstIndex(where: { $0.entry.object == access.object }) {
            var item = sr[place]
            if item.isDemoted { growR(item) }
            item = sr.remove(at: place)
            (item.isDemoted, item.isNew, item.time) = (false, false, time)
            item.frequency += 1
            if limits.size(item.entry) <= rLimit { r.append(item) } else { sr.append(item) }
            limitR()
            found = .hit
        } else {
            found = .miss
        }
        period.append(found == .hit)
        if period.count >= max(1, limits.bytes == .max ? limits.capacity : held.count) { learn() }
        return found
    }

    mutating func learn() {
        let now = Double(period.count { $0 }) / Double(period.count)
        let (gain, moved) = (now - hitRate, rate - rateBefore)
        (hitRate, rateBefore, period) = (now, rate, [])
        if moved != 0 {
            rate = gain / moved > 0 ? min(rate + abs(rate * moved), 1) : max(rate - abs(rate * moved), 0.001)
            idlePeriods = 0
        } else if now == 0 || gain <= 0 {
            idlePeriods += 1
            if idlePeriods == 10 {
                idlePeriods = 0
                rate = 0.001 + random.fraction() * 0.999
            }
        }
    }

    /// A demoted object was hit: R was too small.
    mutating func growR(_ item: Item) {
        let (demoted, new) = (sr.count { $0.isDemoted }, lruHistory.count { $0.isNew })
        let step = max(1, Int(Double(new) / Double(max(1, demoted)) + 0.5))
        srLimit = max(1, srLimit - step * limits.size(item.entry))
    }

    /// A new object that SR let go was asked for.
    mutating func growSR(_ entry: AdaptiveEntry) {
        let (demoted, new) = (sr.count { $0.isDemoted }, lruHistory.count { $0.isNew })
        let step = max(1, Int(Double(demoted) / Double(max(1, new)) + 0.5))
        srLimit = min(max(1, limits.capacity - 1), srLimit + step * limits.size(entry))
    }

    mutating func limitR() {
        while size(r) > rLimit {
            var item = r.removeFirst()
            item.isDemoted = true
            sr.append(item)
        }
    }

    mutating func admit(_ access: Access) -> [Int] {
        time += 1
        let x = access.object
        let entry = AdaptiveEntry(object: x, size: access.size)
        var item = (r + sr + lruHistory + lfuHistory).first { $0.entry.object == x } ?? Item(entry: entry, frequency: 0)
        let (inR, inSR) = (r.contains { $0.entry.object == x }, sr.contains { $0.entry.object == x })
        let inLRU = lruHistory.contains { $0.entry.object == x }
        let inLFU = lfuHistory.contains { $0.entry.object == x }
        remove(x)
        guard limits.hold([entry]) else { return [] }
        if inLRU, item.isNew { growSR(entry) }
        if inLRU || inLFU {
            let kept = exp(-rate)
            let (lru, lfu) = (lruWeight * (inLRU ? kept : 1), (1 - lruWeight) * (inLFU ? kept : 1))
            lruWeight = min(max(lru / (lru + lfu), 0.01), 0.99)
        }
        if !inR && !inSR { item.frequency += 1 }
        (item.entry, item.time, item.isDemoted, item.isNew) = (entry, time, false, false)
        let fits = limits.hold((r + sr).map(\.entry) + [entry])
        var victims: [Int] = []
        if inR || inLRU || inLFU {
            makeRoom(entry, &victims)
            if limits.size(entry) <= rLimit { r.append(item) } else { sr.append(item) }
        } else if inSR {
            makeRoom(entry, &victims)
            sr.append(item)
        } else if sr.isEmpty, fits, size(r) + limits.size(entry) <= rLimit {
            r.append(item)
        } else {
            item.isNew = !(fits && size(sr) + limits.size(entry) <= srLimit)
            makeRoom(entry, &victims)
            sr.append(item)
        }
        limitR()
        return victims
    }

    mutating func makeRoom(_ entry: AdaptiveEntry, _ victims: inout [Int]) {
        while !limits.hold((r + sr).map(\.entry) + [entry]) {
            let recency = (sr + r)[0].entry.object
            let churn = (r + sr).min { ($0.frequency, -$0.time) < ($1.frequency, -$1.time) }?.entry.object
            let victim: Int
            if churn == recency {
                victim = recency
                remove(victim)
            } else if random.fraction() < lruWeight {
                victim = recency
                if let item = depart(victim) { lruHistory.append(item) }
            } else {
                victim = churn ?? recency
                if let item = depart(victim) { lfuHistory.append(item) }
            }
            victims.append(victim)
            while size(lruHistory) > historyLimit { lruHistory.removeFirst() }
            while size(lfuHistory) > historyLimit { lfuHistory.removeFirst() }
        }
    }

    mutating func depart(_ object: Int) -> Item? {
        var item = Self.take(object, from: &r) ?? Self.take(object, from: &sr)
        item?.isDemoted = false
        return item
    }

    mutating func remove(_ object: Int) {
        _ = Self.take(object, from: &r)
        _ = Self.take(object, from: &sr)
        _ = Self.take(object, from: &lruHistory)
        _ = Self.take(object, from: &lfuHistory)
    }
}

/// Algorithm 1 of AdaptiveClimb's paper, over an array; the place that is best first.
struct SlowClimb: SlowTwin {
    var bytes: Int
    var objects: Int
    var list: [SlowEntry] = []
    var jump: Int

    init(bytes: Int = .max, objects: Int = .max) {
        (self.bytes, self.objects) = (bytes, objects)
        jump = bytes == .max ? objects : 1
    }

    var held: [Int] { list.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = list.position(of: access.object) else { return .miss }
        if jump > 1 { jump -= 1 }
        let entry = list.remove(at: place)
        list.insert(entry, at: jump < place ? place - jump : 0)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while list.bytes + access.size > bytes || list.count + 1 > objects { victims.append(list.removeLast().object) }
        let k = bytes == .max ? objects : list.count + 1
        jump = min(k, jump + 1)
        // The paper counts places from 1: K - jump + 1.
        list.insert(SlowEntry(object: access.object, size: access.size), at: min(k - jump, list.count))
        return victims
    }

    mutating func remove(_ object: Int) { list.removeAll { $0.object == object } }
}
