@testable import CacheTraces
@testable import SessionModel
@testable import TraceAnalysis

/// Reads `input` as a trace and, by the other way, as columns; both must agree on whether it is one and on what it asks
/// for.
func check(_ input: TraceInput, _ format: TraceFormat?) {
    if format?.name == TraceFormat.har.name { checkWindow(input) }
    do {
        let reading = try TraceReading(input, format: format)
        check(reading.trace)
        if reading.format.name == TraceFormat.jsonLines.name { checkRoundTrip(reading.trace) }
        checkColumns(input, reading.format, DenseTrace(reading.trace))
    } catch {
        require(error is TraceError, "another error than a TraceError: \(error)")
        require(!"\(error)".contains("\n"), "an error of more than one line: \(error)")
        if let format { require((try? columns(input, format)) == nil, "columns of what is no trace: \(error)") }
    }
}

private func check(_ trace: Trace) {
    var last = trace.events.first?.time ?? 0
    for event in trace.events {
        require(event.time >= last && event.time <= 1 << 54, "the time \(event.time) behind \(last)")
        last = event.time
        if let object = event.action.object {
            require(trace.objects.indices.contains(Int(object)), "there is no object \(object)")
        }
    }
    for object in trace.objects { require((0...1 << 40).contains(object.bytes ?? 0), "\(object.bytes ?? 0) bytes") }
    let summary = TraceSummary(trace)
    require(summary.requests <= trace.events.count && summary.bytes >= 0, "the summary \(summary)")
    require(trace.resolvedSizes().bytes.allSatisfy { $0 >= 0 }, "a negative size")
    _ = trace.prefix(20).table()
}

/// A trace that was read is written and read as itself.
private func checkRoundTrip(_ trace: Trace) {
    var encoder = JSONLinesEncoder()
    encoder.append(trace)
    do {
        let again = try TraceReading(TraceInput(bytes: encoder.bytes, path: "again"), format: .jsonLines).trace
        require(
            again.events == trace.events && again.header == trace.header, "another trace when written and read again")
    } catch {
        fatalError("what was written cannot be read: \(error)")
    }
}

private func checkColumns(_ input: TraceInput, _ format: TraceFormat, _ expected: DenseTrace) {
    do {
        let dense = try columns(input, format)
        require(
            dense.objects.elementsEqual(expected.objects) && dense.ticks.elementsEqual(expected.ticks)
                && dense.epochs == expected.epochs
                && dense.objectCount == expected.objectCount
                && (0..<UInt32(dense.objectCount)).allSatisfy { dense.size(of: $0) == expected.size(of: $0) },
            "columns that differ from the trace's")
    } catch {
        fatalError("a trace without columns: \(error)")
    }
}

private func columns(_ input: TraceInput, _ format: TraceFormat) throws -> DenseTrace {
    var notes = ReadingNotes()
    return try DenseTrace(input, .init(format: format), &notes)
}

/// A HAR that comes through a window of a few bytes is the same, or is refused for the same reason.
private func checkWindow(_ input: TraceInput) {
    func outcome(_ window: () throws -> ByteWindow) -> String {
        do {
            let recording = try HARRecording(window())
            return "\(recording.summary.facts) \(recording.summary.isSorted) \(recording.pages) \(recording.images)"
        } catch { return "\(error)" }
    }
    guard let stream = try? TraceStream(contents: input.withBytes { Array($0) }, path: input.path),
        stream.compression == nil
    else { return }
    let narrow = outcome { try ByteWindow(stream, capacity: 48) }
    let whole = outcome { ByteWindow(input) }
    require(narrow == whole, "through a window: \(narrow)\nas a whole: \(whole)")
}
