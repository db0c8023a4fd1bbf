#if canImport(FoundationNetworking)
import Foundation
import ReplayEngine
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A server on the loopback interface that sends one fixed response and counts its requests.
///
/// It runs on its own thread. It serves one connection at a time, and one request per connection.
final class CountingServer: Sendable {
    /// The address of the server. It answers every path.
    let address: String
    private let listener: Int32
    private let requestCount = Mutex(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the server with a response: head and body, as they are sent.
    ///
    /// - Throws: A ``ReplayError`` if no port is available.
    init(response: Data) throws {
        #if canImport(Musl)
        let stream = SOCK_STREAM | SOCK_CLOEXEC
        #else
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        listener = socket(AF_INET, stream, 0)
        guard listener >= 0 else { throw Self.failure("socket") }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else {
            defer { close(listener) }
            throw Self.failure("bind")
        }
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        Thread.detachNewThread { [self] in
            serve(response)
            ended.signal()
        }
    }

    /// The number of complete requests so far.
    var requests: Int { requestCount.withLock { $0 } }

    /// Closes the port and waits for the thread to end.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait()
        close(listener)
    }

    private func serve(_ response: Data) {
        // After the shutdown, accept fails and the loop ends.
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            if Self.readsHead(from: connection) {
                requestCount.withLock { $0 += 1 }
                Self.write(response, to: connection)
            }
            close(connection)
        }
    }

    /// Reads a request up to the empty line, since no request has a body. Returns whether it was complete.
    private static func readsHead(from connection: Int32) -> Bool {
        var head: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = read(connection, &block, block.count)
            guard count > 0 else { return false }
            head += block[..<count]
        }
        return true
    }

    private static func write(_ response: Data, to connection: Int32) {
        var rest = [UInt8](response)
        while !rest.isEmpty {
            let count = send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    private static func failure(_ call: String) -> ReplayError {
        ReplayError("cannot start a server on the loopback interface: \(call): \(String(cString: strerror(errno)))")
    }
}
#endif
