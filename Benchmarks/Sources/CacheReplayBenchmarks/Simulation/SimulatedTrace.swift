import CacheTraces
import Foundation
import TraceSynthesis

/// A trace as uncompressed oracleGeneral, which the peer reads too, and as a compiled trace.
struct SimulatedTrace {
    let name: String
    let oracleGeneral: String
    let compiled: String
    let requests: Int
    let objects: Int

    /// 0.1 %, 1 % and 10 % of the objects.
    var capacities: [Int] { [0.001, 0.01, 0.1].map { max(1, Int(Double(objects) * $0)) } }

    /// Writes both files into `folder`.
    private init(_ name: String, writing oracleGeneral: String, in folder: URL) throws {
        self.name = name
        self.oracleGeneral = oracleGeneral
        compiled = folder.appendingPathComponent("\(UUID()).crtrace").path
        var notes = ReadingNotes()
        let input = try TraceInput(path: oracleGeneral)
        try CompiledTrace(input, &notes).write(to: compiled)
        let dense = try DenseTrace(contentsOf: compiled)
        (requests, objects) = (dense.objects.count, dense.objectCount)
    }

    /// 20 million requests over a million objects, Zipf(1.0): `cachereplay trace synthesize --requests 20000000 --set
    /// objects=1000000 --set exponent=1`.
    static func zipf(in folder: URL) throws -> SimulatedTrace {
        var model = RequestModel()
        (model.requests, model[.objects], model[.exponent]) = (20_000_000, 1_000_000, 1)
        let path = folder.appendingPathComponent("zipf.oracleGeneral.bin").path
        var file = try FileWriter(path)
        try IndependentRequests(model).writeOracleGeneral { file.append($0) }
        try file.finish()
        return try SimulatedTrace("Zipf(1.0), 20 million requests of a million objects", writing: path, in: folder)
    }

    /// Converts a trace of the shared data to oracleGeneral; nil if it is missing.
    static func shared(_ name: String, _ relative: String, in folder: URL) throws -> SimulatedTrace? {
        let path = Repository.root.deletingLastPathComponent()
            .appendingPathComponent("shared/data/traces/\(relative)").path
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let dense = try DenseTrace(contentsOf: path).withNextAccesses()
        let copy = folder.appendingPathComponent("\(UUID()).oracleGeneral.bin").path
        var file = try FileWriter(copy)
        for (index, object) in dense.objects.enumerated() {
            file.append(little: UInt32(clamping: dense.time(of: index) / 1_000_000))
            file.append(little: (UInt64(object) + 1) &* 0x9E37_79B9_7F4A_7C15 >> 20)
            file.append(little: UInt32(1))
            let next = dense.nextAccesses?[index] ?? DenseTrace.noAccess
            file.append(little: next == DenseTrace.noAccess ? -1 : Int64(next) + 1)
        }
        try file.finish()
        return try SimulatedTrace(name, writing: copy, in: folder)
    }
}
