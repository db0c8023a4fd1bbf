import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Runs

/// How traces are read, and what their files must have.
extension SimulateCommand {
    /// Refuses a file that does not fit in memory before it is read. The amounts are the least that are needed.
    private func checkMemory(_ file: TraceFile) throws {
        guard let size = file.regularSize else { return }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        // A file is mapped, and a compressed one is read from front to back where its format allows that. A record of
        // 24 bytes becomes 4 or 8 bytes of columns.
        let columns = size / 6
        let needed = (addresses: isCompressed ? columns : size + columns, memory: columns)
        let shortage: (needed: Int, available: Int)? =
            if let addresses = Memory.availableAddresses(), needed.addresses > addresses {
                (needed.addresses, addresses)
            } else if needed.memory > Memory.available() {
                (needed.memory, Memory.available())
            } else {
                nil
            }
        guard let shortage else { return }
        throw CommandFailure(
            .ioError,
            """
            \(file.path): reading the whole trace takes \(HumanText.bytes(Double(shortage.needed))) of memory or more, \
            and \
            \(HumanText.bytes(Double(shortage.available))) are available; use --stream, which reads a file of requests \
            in \
            windows, or allow more memory
            """)
    }

    /// Returns how a file is read into columns.
    func columnOptions() throws -> DenseTrace.Options {
        var options = DenseTrace.Options(
            format: try input.chosenFormat(), usesSizes: !ignoreSize, varying: varying, bitmaps: bitmaps)
        options.reading = input.recording.options
        return options
    }

    func load(_ file: TraceFile, _ policies: [PolicyChoice]) throws -> DenseTrace {
        try checkMemory(file)
        var notes = ReadingNotes()
        var options = try columnOptions()
        options.columns = policies.reduce(into: []) { $0.formUnion($1.columns) }
        if parts.needsTimes { options.columns.insert(.times) }
        let trace = try DenseTrace(contentsOf: file.place, options, &notes)
        try report(notes, file.path)
        return trace
    }

    var varying: VaryingSizes { sizes ?? .insertion }

    func report(_ notes: ReadingNotes, _ path: String) throws {
        if let sizes, sizes != .first, !notes.hasSizesByRequest {
            throw CommandFailure(
                .usage,
                """
                \(path): --sizes \(sizes.rawValue) needs a size for each request, and the file has one for each \
                object, as sessions, access logs and compiled traces have; leave --sizes out
                """)
        }
        guard !printing.quiet else { return }
        printWarnings(notes.warnings, file: path)
        if notes.countsBitmaps {
            printToStandardError(
                """
                \(path): objects count with the size of their bitmaps, as in a replay; --cost encoded counts \
                encoded bytes
                """
            )
        }
    }

    private var bitmaps: DenseTrace.Bitmaps {
        switch cost {
        case .encoded: .never
        case .decoded: .required
        case nil: ignoreSize ? .never : .ofImages
        }
    }

    /// Refuses sizes in bytes for a trace without sizes, in which they would count 1 byte for each object.
    func checkUnsized(_ path: String, _ policies: [PolicyChoice], _ capacities: CapacityList) throws {
        let usesCapacities = curve || bounds || policies.contains { !$0.hasOwnSize }
        let capacity = usesCapacities ? capacities.sizeInBytes : nil
        if let size = policies.lazy.compactMap(\.sizeInBytes).first ?? capacity?.description {
            throw CommandFailure(
                .usage,
                """
                \(path): the trace has no sizes, so \(size) would count each object as 1 byte. Give sizes as numbers \
                of \
                objects, such as 1000 objects, as shares, such as 5%, or as auto; or give the trace a column of sizes.
                """)
        }
        guard !printing.quiet else { return }
        printWarnings(
            ["the trace has no sizes: each object counts as 1, and shares are shares of the number of objects"],
            file: path)
    }

    /// Returns whether a trace is read in windows: on request, or because it is large and nothing excludes it.
    func streams(_ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList) throws -> Bool {
        if stream { return true }
        let limit = streamAbove ?? min(Memory.available(), Memory.availableAddresses() ?? .max) / 2
        guard let size = file.regularSize, size * 4 >= limit else { return false }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        guard size * (isCompressed ? 4 : 1) >= limit,
            try TraceFormat.canReadInWindows(path: file.place, format: input.chosenFormat())
        else { return false }
        var reasons: [String] = []
        if bounds { reasons.append("--bounds") }
        if sampleSize != nil { reasons.append("--sample-size") }
        if checkSample { reasons.append("--check-sample") }
        // A sample is in memory as a whole.
        let isWhole = sample != nil
        if !isWhole, !policies.isEmpty, (try? capacities.fixed()) == nil {
            reasons.append("a capacity that is a share of the trace")
        }
        if !isWhole { reasons += policies.filter { $0.usesFuture && !$0.isOfAll }.map(\.text) }
        if !reasons.isEmpty {
            let list = reasons.joined(separator: ", ")
            if !printing.quiet {
                printWarnings(["the trace is large, and is read as a whole because of \(list)"], file: file.path)
            }
            return false
        }
        if !printing.quiet {
            printToStandardError("\(file.path): the trace is large, so it is read in windows, as with --stream")
        }
        return true
    }

    /// Refuses or warns of what a curve cannot have.
    ///
    /// - Parameters:
    ///   - varies: Whether some requests have another size than their objects.
    ///   - fails: Whether fetches failed in the recording.
    func checkCurve(_ work: SimulationWork, _ varies: Bool, _ fails: Bool, _ path: String) throws {
        guard work.curve else { return }
        if varies, work.curveUnits.contains(.bytes) {
            throw CommandFailure(
                .usage,
                """
                \(path): the curve needs one size for each object, and the file has objects with several; give \
                --sizes first, or capacities in objects
                """)
        }
        if fails, !printing.quiet {
            printToStandardError(
                "\(path): warning: some fetches failed in the recording; the curve counts them as successful")
        }
    }
}
