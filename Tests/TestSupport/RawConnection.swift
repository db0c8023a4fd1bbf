import Foundation

/// A plain socket.
package final class RawConnection: Sendable {
    private let descriptor: Int32
    package let isConnected: Bool

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - receiveBuffer: Limits what the kernel buffers.
    ///   - timeout: Ends each call after as many seconds, so that failing tests end; nil for never.
    package init(port: Int, receiveBuffer: Int32? = nil, timeout: Int? = 30) {
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        self.descriptor = descriptor
        var limit = timeval(tv_sec: timeout ?? 0, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = Self.loopback(port)
        isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit { close(descriptor) }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Returns whether all bytes were sent.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends what the kernel takes at once.
    package func sendWithoutWaiting(_ text: String) {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = Array(text.utf8).withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    package func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns at most `limit` bytes, none at the end; nil if the connection was reset.
    package func receive(_ limit: Int = 65_536) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &piece, limit, 0)
        return count < 0 ? nil : Array(piece[..<count])
    }

    /// Returns the bytes up to the empty line, or to the end.
    package func receiveHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = receive(1), !byte.isEmpty { head += byte }
        return String(decoding: head, as: UTF8.self)
    }

    /// Returns exactly this number of bytes, fewer at the end.
    package func receive(exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = receive(min(65_536, count - bytes.count)), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }

    /// Returns all bytes until the other side closes or resets the connection.
    package func receiveBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = receive(), !piece.isEmpty { bytes += piece }
        return bytes
    }

    package func receiveAll() -> String { String(decoding: receiveBytes(), as: UTF8.self) }
}
