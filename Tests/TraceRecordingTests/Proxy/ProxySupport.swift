import CacheTraces
import Foundation
import SessionModel
import Synchronization
import TestSupport

@testable import TraceRecording

/// Runs a body with a proxy for `upstream`, stops it, and returns its trace.
@discardableResult
func proxying(
    _ upstream: String, _ change: (inout ProxyOptions) -> Void = { _ in }, _ body: (RecordingProxy) throws -> Void
) throws -> Trace {
    try withProxyScratch { folder in
        let path = folder.appendingPathComponent("proxy.jsonl").path
        var options = ProxyOptions(upstream: try UpstreamAddress(upstream))
        options.allowedHosts = ["proxy.test"].compactMap { HostName($0) }
        change(&options)
        let proxy = try RecordingProxy(
            options, recordingInto: TraceJournal(path: path, header: TraceHeader(title: "proxy")))
        do { try body(proxy) } catch {
            try? proxy.stopAndWait()
            throw error
        }
        try proxy.stopAndWait()
        return try Trace(contentsOf: path)
    }
}

func withProxyScratch<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try body(URL(fileURLWithPath: folder.path)) }
}

extension RecordingProxy {
    /// Sends a request on a new connection, and returns the complete response.
    func ask(_ line: String, _ fields: String...) -> String {
        let lines = ["\(line) HTTP/1.1", "Host: proxy.test", "Connection: close"] + fields
        return ask(raw: lines.joined(separator: "\r\n") + "\r\n\r\n").text
    }

    func ask(raw text: String) -> (text: String, isWhole: Bool) {
        let connection = RawConnection(port: port)
        connection.send(text)
        return connection.receiveAll()
    }
}

/// A value that other threads set, for tests that look at what an upstream saw.
final class Seen<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension Trace {
    var fetches: [Fetch] { events.compactMap { if case .fetch(_, let fetch) = $0.action { fetch } else { nil } } }
    var appearances: [Variant] {
        events.compactMap { if case .appear(_, let variant) = $0.action { variant } else { nil } }
    }
    var keys: [String] { objects.map(\.key) }
}
