import Foundation

/// PyPI's libcachesim in the Python environment of `scripts/bench`. Each measurement is a process, which reports the
/// seconds of one pass, without starting Python and opening the file.
struct LibCacheSim {
    static let name = "libcachesim 0.3.5"
    /// The number of requests of passes that iterate in Python, which takes seconds per million.
    static let steps = 2_000_000
    private let python: String

    /// Returns nil if `scripts/bench` could not install it.
    init?() {
        guard let python = ProcessInfo.processInfo.environment["CACHEREPLAY_BENCH_PYTHON"], !python.isEmpty else {
            return nil
        }
        self.python = python
    }

    enum Pass: String {
        /// In C: the reader, and a hash of each id (`get_working_set_size`).
        case workingSet = "objects = reader.get_working_set_size()[0]; requests = TOTAL"
        /// In C: the reader, and a FIFO cache that has room for everything (`process_trace`).
        case fifo = "L.Util.process_trace(L.FIFO(1 << 60), reader); objects = 0; requests = TOTAL"
        /// In Python: the reader's iterator, and a dict from id to number.
        case python = """
            ids = {}
            requests = 0
            for request in reader:
                ids.setdefault(request.obj_id, len(ids))
                requests += 1
                if requests == STEPS: break
            objects = len(ids)
            """
    }

    /// Returns the requests per second.
    func rate(_ pass: Pass, _ path: String, requests: Int) throws -> Double {
        let script = """
            import sys, time
            import libcachesim as L
            TOTAL, STEPS = int(sys.argv[2]), int(sys.argv[3])
            reader = L.TraceReader(sys.argv[1], L.TraceType.ORACLE_GENERAL_TRACE)
            if len(reader) != TOTAL: raise SystemExit("the reader counts %d requests" % len(reader))
            start = time.perf_counter()
            \(pass.rawValue)
            print("\\nresult", requests / (time.perf_counter() - start))
            """
        return try results(of: script, [path, "\(requests)", "\(Self.steps)"])[0]
    }

    /// Returns the seconds of opening the file and of `process_trace`, and the miss ratio, for a policy with room for
    /// `capacity` objects; sizes are ignored.
    func simulate(_ policy: String, _ path: String, capacity: Int, requests: Int) throws -> (
        seconds: Double, missRatio: Double
    ) {
        let script = """
            import sys, time
            import libcachesim as L
            start = time.perf_counter()
            options = L.ReaderInitParam(ignore_obj_size=True)
            reader = L.TraceReader(sys.argv[1], L.TraceType.ORACLE_GENERAL_TRACE, options)
            misses = L.Util.process_trace(L.\(policy)(int(sys.argv[2])), reader)[0]
            seconds = time.perf_counter() - start
            if len(reader) != int(sys.argv[3]): raise SystemExit("the reader counts %d requests" % len(reader))
            print("\\nresult", seconds, misses)
            """
        let results = try results(of: script, [path, "\(capacity)", "\(requests)"])
        guard results.count == 2 else { throw BenchmarkError(description: "\(Self.name) returned \(results)") }
        return (results[0], results[1])
    }

    /// Returns the numbers after the word `result`, which the script prints last.
    private func results(of script: String, _ arguments: [String]) throws -> [Double] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", script] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").last { $0.hasPrefix("result ") }
        let results = line?.split(separator: " ").dropFirst().compactMap { Double($0) } ?? []
        guard process.terminationStatus == 0, !results.isEmpty else {
            throw BenchmarkError(description: "\(Self.name) failed on \(arguments): \(text)")
        }
        return results
    }
}
