import SessionModel

// Levers that change the images of a session.
extension Lever {
    /// The width of the screen in pixels, which is assumed: no trace records it. It is that of the presets' device.
    static let screenWidth = 1_080

    /// Returns a trace in which images are not larger than the cells that show them; nil if the lever changes no image.
    ///
    /// The sizes of cells are those of ``CellArea``: only a trace with `list` events, and images whose pixels are
    /// recorded, can change. Cells are squares that an image fills, so its shorter side becomes that of its largest
    /// cell. Thumbnails have bytes and transfers in proportion to their pixels; a picture that is also opened keeps its
    /// own.
    func applied(to trace: Trace) -> Trace? {
        guard kind == .thumbnails || kind == .downsampling else { return nil }
        let areas = CellArea.areas(of: trace)
        guard !areas.isEmpty else { return nil }
        // By object: the side of its largest cell; 0 for one that no cell shows.
        var sides = [Int](repeating: 0, count: trace.objects.count)
        var isOpened = [Bool](repeating: false, count: trace.objects.count)
        let shown = trace.events.compactMap { if case .appear(let object, _) = $0.action { Int(object) } else { nil } }
        for (object, area) in zip(shown, areas) {
            sides[object] = max(sides[object], area.side(onScreenOf: Self.screenWidth))
            if area.isOpened { isOpened[object] = true }
        }
        var changed = trace
        // By object: the pixels with the change, as a share of its own.
        var shares = [Double](repeating: 1, count: trace.objects.count)
        for (number, object) in trace.objects.enumerated() where sides[number] > 0 {
            guard let width = object.pixelWidth, let height = object.pixelHeight, min(width, height) > sides[number],
                kind == .downsampling || !isOpened[number]
            else { continue }
            let factor = Double(sides[number]) / Double(min(width, height))
            changed.objects[number].pixelWidth = Int((Double(width) * factor).rounded())
            changed.objects[number].pixelHeight = Int((Double(height) * factor).rounded())
            shares[number] = factor * factor
        }
        guard shares.contains(where: { $0 < 1 }) else { return nil }
        if kind == .thumbnails { changed.scaleBytes(shares) }
        return changed
    }
}

extension Trace {
    /// Multiplies the bytes and the times of transfer of each object by its share.
    fileprivate mutating func scaleBytes(_ shares: [Double]) {
        func scaled(_ bytes: Int, _ share: Double) -> Int { min(bytes, max(1, Int((Double(bytes) * share).rounded()))) }
        for number in objects.indices {
            objects[number].bytes = objects[number].bytes.map { scaled($0, shares[number]) }
        }
        for number in events.indices {
            guard case .fetch(let object, var fetch) = events[number].action else { continue }
            let share = shares[Int(object)]
            fetch.bytes = fetch.bytes.map { scaled($0, share) }
            fetch.transferTime = fetch.transferTime.map { Int64((Double($0) * share).rounded()) }
            events[number].action = .fetch(object, fetch)
        }
    }
}

extension PreparedTrace {
    /// Returns the trace with the change of a lever; the trace itself if the lever changes no image of it.
    ///
    /// - Throws: ``ReplayError`` for a trace that cannot be replayed.
    public func applying(_ lever: Lever, network: ReplayJob.Network) throws -> PreparedTrace {
        guard let changed = lever.applied(to: trace) else { return self }
        return try PreparedTrace(changed, network: network, registry: context.encoded.registry)
    }
}
