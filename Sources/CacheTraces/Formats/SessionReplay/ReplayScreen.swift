import SessionModel

/// An image that came onto the screen or left it between two looks.
struct ReplayTransition {
    /// Milliseconds since 1970: the look that found it, and the look before.
    var time: Double
    var before: Double
    /// The part of the time between the looks after which it happened, if the list moved evenly; nil if it did not
    /// move.
    var part: Double?
    var key: String
    var appears: Bool

    /// Returns the time at which it happened.
    ///
    /// - Parameter interval: Milliseconds between two looks. A screen that does not change is not recorded, so the look
    ///   before may be one that is not in the recording.
    func moment(interval: Double) -> Double {
        guard let part else { return time }
        return time - (1 - part) * min(time - before, interval)
    }
}

/// The wireframes of a screen, from which the visible images follow.
struct ReplayScreen {
    /// The numbers of elements that cannot be read as images.
    struct Counts {
        var images: Set<Int64> = []
        var masked: Set<Int64> = []
        var withoutGeometry: Set<Int64> = []
        var placeholders: Set<Int64> = []
        var screenshots: Set<Int64> = []
        var webViews: Set<Int64> = []
        /// Changes of elements that the recording lacks.
        var unknown = 0
        var snapshots = 0
        var looks = 0
    }

    private(set) var counts = Counts()
    private(set) var transitions: [ReplayTransition] = []
    /// The types of images, by key.
    private(set) var contentTypes: [String: String] = [:]
    /// The offset of the list at each look at which it had moved.
    private(set) var offsets: [(time: Double, offset: Double)] = []
    /// Whether the size of the screen is known. Nothing is visible before.
    var hasSize: Bool { width > 0 }
    private var width = 0.0
    private var height = 0.0
    private var view = ""
    private var wireframes: [Int64: ReplayWireframe] = [:]
    private var children: [Int64: [Int64]] = [:]
    /// The keys of the visible images.
    private var visible: [Int64: String] = [:]
    private var lastLook: Double?
    private var gaps: [Double] = []

    /// Milliseconds between two looks while the screen changes; nil if there are less than two.
    var interval: Double? {
        guard !gaps.isEmpty else { return nil }
        // Pauses without changes are gaps too, so that the lower quartile says more than the median.
        return gaps.sorted()[gaps.count / 4]
    }

    mutating func resize(width: Double, height: Double, at time: Double) {
        (self.width, self.height) = (width, height)
        for id in wireframes.keys.sorted() { judge(id, time, shift: 0, old: wireframes[id]) }
    }

    /// Applies a whole screen. Images that were visible and still are stay, whatever their elements are.
    mutating func show(_ list: [ReplayWireframe], view: String, at time: Double) {
        counts.snapshots += 1
        self.view = view
        beginLook(time)
        let old = visible.sorted { $0.key < $1.key }.map(\.value)
        wireframes = [:]
        children = [:]
        visible = [:]
        for wireframe in list { insert(wireframe) }
        var staying: [String: Int] = [:]
        var new: [String] = []
        for id in wireframes.keys.sorted() {
            guard let key = visibleKey(id) else { continue }
            visible[id] = key
            if let type = wireframes[id]?.contentType { contentTypes[key] = type }
            new.append(key)
            staying[key, default: 0] += 1
        }
        var known: [String: Int] = [:]
        for key in old {
            if let count = staying[key], count > 0 {
                staying[key] = count - 1
                known[key, default: 0] += 1
            } else {
                add(key, appears: false, time, part: nil)
            }
        }
        for key in new {
            if let count = known[key], count > 0 {
                known[key] = count - 1
            } else {
                add(key, appears: true, time, part: nil)
            }
        }
    }

    /// Applies what a look found changed.
    mutating func apply(_ change: ReplayChange, view: String, at time: Double) {
        if self.view != view, !view.isEmpty { self.view = view }
        beginLook(time)
        var before: [Int64: ReplayWireframe] = [:]
        var touched: [Int64] = []
        var shifts: [Double] = []
        for id in change.removes { remove(id, &touched, &before) }
        for wireframe in change.adds {
            touched.append(wireframe.id)
            if let old = wireframes[wireframe.id] { before[wireframe.id] = old }
            if let shift = Self.shift(from: before[wireframe.id], to: wireframe) { shifts.append(shift) }
            insert(wireframe)
        }
        for wireframe in change.updates {
            guard let old = wireframes[wireframe.id] else {
                counts.unknown += 1
                // An update of PostHog has the whole element.
                if wireframe.hasGeometry {
                    touched.append(wireframe.id)
                    insert(wireframe)
                }
                continue
            }
            touched.append(wireframe.id)
            if before[wireframe.id] == nil { before[wireframe.id] = old }
            if let shift = Self.shift(from: old, to: wireframe) { shifts.append(shift) }
            var new = old
            new.update(by: wireframe)
            insert(new)
        }
        let shift = shifts.isEmpty ? 0 : shifts.sorted()[shifts.count / 2]
        if shift != 0 { offsets.append((time, (offsets.last?.offset ?? 0) - shift)) }
        for id in touched { judge(id, time, shift: shift, old: before[id]) }
    }

    private mutating func beginLook(_ time: Double) {
        counts.looks += 1
        if let lastLook, time > lastLook { gaps.append(time - lastLook) }
        previousLook = lastLook ?? time
        lastLook = time
    }

    private var previousLook = 0.0

    private static func shift(from old: ReplayWireframe?, to new: ReplayWireframe) -> Double? {
        guard let old, old.kind == .image, let from = old.y, let to = new.y, from != to else { return nil }
        return to - from
    }

    private mutating func insert(_ wireframe: ReplayWireframe) {
        let id = wireframe.id
        if wireframes[id] == nil, let parent = wireframe.parent { children[parent, default: []].append(id) }
        wireframes[id] = wireframe
        switch wireframe.kind {
        case .image where wireframe.isEmpty != true:
            counts.images.insert(id)
            if wireframe.image == nil { counts.masked.insert(id) }
            if !wireframe.hasGeometry { counts.withoutGeometry.insert(id) }
        case .placeholder: counts.placeholders.insert(id)
        case .screenshot: counts.screenshots.insert(id)
        case .webView: counts.webViews.insert(id)
        case .image, .other, nil: break
        }
    }

    /// Removes an element with all within it.
    private mutating func remove(_ id: Int64, _ touched: inout [Int64], _ before: inout [Int64: ReplayWireframe]) {
        if wireframes[id] == nil { counts.unknown += 1 }
        var rest = [id]
        while let id = rest.popLast() {
            if let old = wireframes.removeValue(forKey: id) {
                before[id] = old
                touched.append(id)
            }
            if let within = children.removeValue(forKey: id) {
                rest += within.filter { wireframes[$0]?.parent == id }
            }
        }
    }

    /// Returns the key of an image if it is visible.
    private func visibleKey(_ id: Int64) -> String? {
        guard let wireframe = wireframes[id], wireframe.kind == .image, wireframe.isEmpty != true,
            wireframe.isVisible(width: width, height: height)
        else { return nil }
        return wireframe.image ?? (view.isEmpty ? "wireframe/\(id)" : "wireframe/\(view)/\(id)")
    }

    /// Notes whether an image came, left, or was replaced by another.
    private mutating func judge(_ id: Int64, _ time: Double, shift: Double, old: ReplayWireframe?) {
        let (was, now) = (visible[id], visibleKey(id))
        guard was != now else { return }
        if let was { add(was, appears: false, time, part: now == nil ? old.flatMap { leaving($0, shift) } : nil) }
        if let now, let type = wireframes[id]?.contentType { contentTypes[now] = type }
        if let now {
            add(now, appears: true, time, part: was == nil ? wireframes[id].flatMap { entering($0, shift) } : nil)
        }
        visible[id] = now
    }

    private mutating func add(_ key: String, appears: Bool, _ time: Double, part: Double?) {
        transitions.append(
            ReplayTransition(time: time, before: previousLook, part: part, key: key, appears: appears))
    }

    /// Returns the part of a movement after which an element enters the screen; nil if it was within it before.
    private func entering(_ wireframe: ReplayWireframe, _ shift: Double) -> Double? {
        guard let y = wireframe.y, let length = wireframe.height, shift != 0 else { return nil }
        let top = y - shift
        let part = shift < 0 ? (height - top) / shift : (0 - top - length) / shift
        return part > 0 && part <= 1 ? part : nil
    }

    /// Returns the part of a movement after which an element leaves the screen; nil if it is still within it then.
    private func leaving(_ wireframe: ReplayWireframe, _ shift: Double) -> Double? {
        guard let top = wireframe.y, let length = wireframe.height, shift != 0 else { return nil }
        let part = shift < 0 ? (0 - top - length) / shift : (height - top) / shift
        return part > 0 && part <= 1 ? part : nil
    }
}
