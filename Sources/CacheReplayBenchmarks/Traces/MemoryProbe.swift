import CacheTraces
import Foundation

/// What a trace costs in memory: measured by the system, in a process that does nothing but read it. Linux only.
enum MemoryProbe {
    static let argument = "--memory-of"

    /// In the child: the growth of the peak of resident memory, the requests and the objects.
    static func runChild(_ path: String) throws {
        let before = try status("VmRSS")
        let trace = try DenseTrace(contentsOf: path)
        let peak = try status("VmHWM")
        withExtendedLifetime(trace) { print(peak - before, trace.objects.count, trace.objectCount) }
    }

    /// Bytes per request, after 64 for each object and the map of the file; nil where the system does not tell.
    static func bytesPerRequest(_ path: String) throws -> Double? {
        guard (try? status("VmHWM")) != nil else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [argument, path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard process.terminationStatus == 0, numbers.count == 3, numbers[1] > 0 else {
            throw BenchmarkError(description: "memory of \(path): \(text)")
        }
        return Double(numbers[0] - TraceFiles.length(path) - 64 * numbers[2]) / Double(numbers[1])
    }

    /// A line of `/proc/self/status` in bytes.
    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError(description: "/proc/self/status tells no \(name)")
        }
        return kilobytes * 1024
    }
}
