import CacheTraces
import Foundation

/// Measures the memory of a trace, by the system's counts of a process that only reads it. Linux only.
enum MemoryProbe {
    static let argument = "--memory-of"

    /// Runs in the child: prints the growth of the peak of resident memory, the requests and the objects.
    static func runChild(_ path: String) throws {
        let before = try status("VmRSS")
        let trace = try DenseTrace(contentsOf: path)
        let peak = try status("VmHWM")
        withExtendedLifetime(trace) { print(peak - before, trace.objects.count, trace.objectCount) }
    }

    /// Returns the bytes per request, without 64 per object and the map of the file; nil if the system has no counts.
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

    /// Returns a line of `/proc/self/status` in bytes.
    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError(description: "/proc/self/status has no \(name)")
        }
        return kilobytes * 1024
    }
}
