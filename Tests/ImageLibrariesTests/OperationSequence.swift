import CachePolicies
import CacheTiers
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// A sequence of operations on a preset, with the outcome of each request, which was worked out by hand.
///
/// Steps are separated by semicolons. A step is an operation and the keys that it has in turn:
/// - `G A40` a view appears and stays, and wants an image of 40 pixels; `GX A` a view that goes again; `X A` one goes.
///   `G A40@3` a view of 3 x 3 pixels. Without `@`, the size of the view is not recorded.
/// - `404 A` as `GX`, but the origin answers 404; `bad A` as `GX`, but it answers with a body that is no image.
/// - `P A` as `G`, but the load is still in progress; `D A` it has ended.
/// - `W` a memory warning, `B` the background, `T` a relaunch, `R A` the app removes an image, `F A` a prefetch.
/// - `wait 24` hours pass. `S A40` stores an image without a request, in the ledger alone.
/// - `= B C 80` the images that the policy holds, and their pixels. It is checked in the ledger.
///
/// After `->` come the outcomes: `H` memory hit, `L` hit of an image that the policy does not hold, `D` disk hit,
/// `J` joins a load, `M` load, `-` cancelled, `!` failed. Without a number, an image has 10 pixels. A pixel costs 4
/// bytes.
struct OperationSequence: Sendable, CustomTestStringConvertible {
    var name: String
    /// A preset, and the limits of the sequence.
    var cache: String
    var steps: [Step]
    /// The header fields of all responses.
    var headers: [HTTPField] = []

    var testDescription: String { name }

    struct Step: Sendable {
        var operation: String
        var items: [Item]
        var outcomes: String
    }

    struct Item: Sendable {
        var key: String
        var pixels: Int
        /// The width and the height of the view; nil if it is not recorded.
        var view: Int?

        var viewSize: ViewSize? { view.flatMap { ViewSize(width: $0, height: $0) } }
    }

    /// - Parameter header: A header field of all responses, such as `cache-control: no-store`; nil for none.
    init(_ name: String, _ cache: String, _ text: String, header: String? = nil) {
        (self.name, self.cache) = (name, cache)
        if let field = header?.split(separator: ":", maxSplits: 1), field.count == 2 {
            headers = [HTTPField(String(field[0]), String(field[1].drop { $0 == " " }))]
        }
        var pixels: [String: Int] = [:]
        steps = text.split(separator: ";").map { part in
            let words = part.split(separator: " ").map(String.init)
            let arrow = words.firstIndex(of: "->") ?? words.count
            let items = words[..<arrow].dropFirst().map { word -> Item in
                let parts = word.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
                let key = String(parts[0].prefix { !$0.isNumber })
                let size = Int(parts[0].dropFirst(key.count)) ?? pixels[key] ?? 10
                if !key.isEmpty, words[0] != "=" { pixels[key] = size }
                return Item(key: key, pixels: size, view: parts.count > 1 ? Int(parts[1]) : nil)
            }
            return Step(operation: words[0], items: items, outcomes: words.dropFirst(arrow + 1).joined())
        }
    }

    /// The outcomes of all requests, in order.
    var expected: String { steps.map(\.outcomes).joined() }

    /// Whether an image keeps its size, as the objects of a trace do.
    var hasOneSizePerKey: Bool {
        let sizes = steps.filter { !["=", "wait"].contains($0.operation) }.flatMap(\.items).map { ($0.key, $0.pixels) }
        return Dictionary(grouping: sizes) { $0.0 }.values.allSatisfy { Set($0.map(\.1)).count == 1 }
    }

    /// Whether the memory tier alone decides the outcomes.
    var isOfMemoryAlone: Bool {
        let hasViews = steps.contains { $0.items.contains { $0.view != nil } }
        let hasLoads = steps.contains { ["P", "D", "F"].contains($0.operation) }
        return !hasViews && !hasLoads && !expected.contains { "DJ-!".contains($0) }
    }
}

// MARK: - The ledger of the preset's memory

extension OperationSequence {
    /// Runs the sequence on the ledger of the preset's memory. Every load ends at once.
    ///
    /// - Returns: The outcomes, and what differs from the contents that the sequence states.
    func runOnLedger() throws -> (outcomes: String, differences: [String]) {
        let cache = try CacheConfiguration(specification: cache).resolvingShares(in: CacheContext(PolicyContext()))
        let rules = cache.memoryRules
        var run = LedgerRun(
            ledger: TierLedger(
                try CacheContext(PolicyContext()).memoryPolicy(of: cache), entryRule: rules.entryRule,
                pinsShown: rules.pinsShown, live: rules.live), rules: rules)
        for step in steps { try run.take(step) }
        return (run.outcomes, run.differences)
    }

    private struct LedgerRun {
        var ledger: TierLedger
        let rules: MemoryRules
        var outcomes = ""
        var differences: [String] = []
        var numbers: [String: Int] = [:]
        var views: [String: Int] = [:]
        var time: Int64 = 0

        mutating func take(_ step: Step) throws {
            switch step.operation {
            case "W": try relieve(rules.onWarning)
            case "B": try relieve(rules.onBackground)
            case "T":
                ledger.relaunch(at: time)
                views = [:]
            case "=": compare(step)
            case "R": for item in step.items { ledger.remove(number(item.key)) }
            case "X": for item in step.items { hide(item) }
            case "S": for item in step.items { store(access(item)) }
            case "wait": time += Int64(step.items[0].pixels) * 3_600_000_000
            default: for item in step.items { request(item, goes: step.operation == "GX") }
            }
        }

        private mutating func request(_ item: Item, goes: Bool) {
            let access = access(item)
            let isInPolicy = policyHolds(item.key)
            let isHit = ledger.lookup(access).isHit
            outcomes += isHit ? isInPolicy ? "H" : "L" : "M"
            ledger.drainVictims { _ in }
            views[item.key, default: 0] += 1
            if views[item.key] == 1 { ledger.show(access.object) }
            if !isHit { store(access) }
            if goes { hide(item) }
        }

        private mutating func store(_ access: Access) {
            if !ledger.ignores(access) { _ = ledger.admit(access) }
            ledger.drainVictims { _ in }
        }

        private mutating func hide(_ item: Item) {
            views[item.key, default: 0] -= 1
            if views[item.key] == 0 { ledger.hide(access(item)) }
            ledger.drainVictims { _ in }
        }

        private mutating func relieve(_ action: PressureAction) throws {
            switch action {
            case .keep: break
            case .clear: ledger.clear()
            case .trim(let cost): try ledger.trim(to: cost)
            case .trimToLimit: Issue.record("the share of the limit is not resolved")
            case .trimToShare(let share): try ledger.trim(to: rules.share(share, of: ledger.cost))
            }
            ledger.drainVictims { _ in }
        }

        private mutating func compare(_ step: Step) {
            let held = numbers.keys.sorted().filter { policyHolds($0) }.joined()
            let keys = step.items.filter { !$0.key.isEmpty }.map(\.key).joined()
            if held != keys { differences.append("the policy holds \(held), not \(keys)") }
            for item in step.items where item.key.isEmpty && ledger.cost != 4 * item.pixels {
                differences.append("the cost is \(ledger.cost), not \(4 * item.pixels)")
            }
        }

        /// Whether the policy holds the image: whether it is held if nothing is shown.
        private func policyHolds(_ key: String) -> Bool {
            guard let number = numbers[key] else { return false }
            var copy = ledger
            if (views[key] ?? 0) > 0, rules.live != .none { copy.hide(Access(object: number, size: 0, time: time)) }
            return copy.contains(number)
        }

        private mutating func access(_ item: Item) -> Access {
            time += 1
            return Access(object: number(item.key), size: 4 * item.pixels, time: time)
        }

        private mutating func number(_ key: String) -> Int {
            let number = numbers[key] ?? numbers.count
            numbers[key] = number
            return number
        }
    }
}

// MARK: - The replay

extension OperationSequence {
    /// Replays the sequence as a session through the whole preset, a second for each item.
    ///
    /// - Returns: The outcomes and the result. `L` is `H` here: a replay does not tell them apart.
    func replay() throws -> (outcomes: String, result: RunResult) {
        var job = ReplayJob(trace: name, cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.standard)
        let (result, requests) = try job.runRecordingRequests(session())
        let outcomes = requests.map { request in
            switch request.outcome {
            case .memoryHit: "H"
            case .diskHit: "D"
            case .coalesced: "J"
            case .origin: "M"
            case .failed: "!"
            default: "-"
            }
        }
        return (outcomes.joined(), result)
    }

    private func session() -> Trace {
        var builder = TraceBuilder()
        for item in requested {
            let width = Self.width(item.pixels)
            builder.update(builder.object(item.key)) {
                ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (100, width, item.pixels / width)
                $0.headers = headers
            }
        }
        addFetches(to: &builder)
        builder.append(TraceEvent(time: 0, .foreground))
        var time: Int64 = 1_000_000
        for step in steps where step.operation != "=" {
            if step.operation == "wait" { time += Int64(step.items[0].pixels) * 3_600_000_000 }
            for event in events(of: step) {
                builder.append(TraceEvent(time: time + event.delay, event.action, viewSize: event.viewSize))
                if event.isLast { time += 1_000_000 }
            }
        }
        builder.append(TraceEvent(time: time + 10_000_000, .foreground))
        return builder.finish()
    }

    /// The images of all steps but those without images.
    private var requested: [Item] { steps.filter { $0.operation != "=" }.flatMap(\.items).filter { !$0.key.isEmpty } }

    /// The width of an image with so many pixels: 1 to 4,096, and a divisor of them.
    private static func width(_ pixels: Int) -> Int {
        guard pixels > 4_096 else { return pixels }
        return (1...4_096).last { pixels % $0 == 0 && $0 * $0 <= pixels } ?? 1
    }

    private struct Event {
        var action: TraceEvent.Action
        var delay: Int64 = 0
        var isLast = true
        var viewSize: ViewSize?
    }

    private func events(of step: Step) -> [Event] {
        var builder = names()
        switch step.operation {
        case "W": return [Event(action: .memoryWarning)]
        case "B":
            return [Event(action: .background, isLast: false), Event(action: .foreground, delay: 500_000)]
        case "T": return [Event(action: .terminate)]
        case "wait": return []
        default: break
        }
        return step.items.flatMap { item -> [Event] in
            let object = builder.object(item.key)
            switch step.operation {
            case "G", "P": return [Event(action: .appear(object, .full), viewSize: item.viewSize)]
            case "GX", "404", "bad":
                return [
                    Event(action: .appear(object, .full), isLast: false, viewSize: item.viewSize),
                    Event(action: .disappear(object, .full), delay: 500_000),
                ]
            case "X": return [Event(action: .disappear(object, .full))]
            case "R": return [Event(action: .remove(object))]
            case "F": return [Event(action: .prefetch(object, .full), viewSize: item.viewSize)]
            // The load has ended by itself.
            default: return [Event(action: .foreground)]
            }
        }
    }

    /// The numbers of the keys, as in the session.
    private func names() -> TraceBuilder {
        var builder = TraceBuilder()
        for item in requested { _ = builder.object(item.key) }
        return builder
    }

    /// Adds a recorded fetch for each request: of 1 ms, or until shortly before the step that ends the load.
    private func addFetches(to builder: inout TraceBuilder) {
        var second = 0
        var began: [String: Int] = [:]
        var seconds: [String: Double] = [:]
        var requests: [(key: String, answer: String)] = []
        for step in steps where !["=", "wait"].contains(step.operation) {
            let places = step.items.isEmpty ? [Item(key: "", pixels: 0)] : step.items
            for item in places {
                if step.operation == "P", began[item.key] == nil { began[item.key] = second }
                if step.operation == "D", let start = began[item.key] {
                    seconds[item.key] = Double(second - start) - 0.25
                }
                if ["G", "GX", "P", "F", "404", "bad"].contains(step.operation) {
                    requests.append((item.key, step.operation))
                }
                second += 1
            }
        }
        for (key, answer) in requests {
            let duration = Int64((seconds[key] ?? (began[key] == nil ? 0.001 : 60)) * 1_000_000)
            var fetch = Fetch(
                status: answer == "404" ? 404 : 200, bytes: 100, timeToFirstByte: duration, transferTime: 0)
            fetch.isUndecodable = answer == "bad"
            builder.append(TraceEvent(time: 0, .fetch(builder.object(key), fetch)))
        }
    }
}
