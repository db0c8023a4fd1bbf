import Foundation

/// A plain socket, with timeouts of half a minute, so that failing tests end.
final class RawConnection: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port of this machine; `receiveBuffer` limits what the kernel buffers.
    convenience init(port: Int, receiveBuffer: Int32? = nil) {
        self.init(Self.makeSocket())
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = Self.loopback(port)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    static func makeSocket() -> Int32 {
        #if os(Linux)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Returns whether all bytes were sent.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
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

    /// Returns at most `limit` bytes, none at the end; nil if the connection was reset.
    func receive(_ limit: Int = 65_536) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &piece, limit, 0)
        return count < 0 ? nil : Array(piece[..<count])
    }

    /// Returns the bytes up to the empty line, or to the end.
    func receiveHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = receive(1), !byte.isEmpty { head += byte }
        return String(decoding: head, as: UTF8.self)
    }

    /// Returns exactly this number of bytes, fewer at the end.
    func receive(exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = receive(min(65_536, count - bytes.count)), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }

    /// Returns all bytes until the other side closes, and whether it closed without a reset.
    func receiveAll() -> (text: String, isWhole: Bool) {
        var bytes: [UInt8] = []
        while let piece = receive() {
            if piece.isEmpty { return (String(decoding: bytes, as: UTF8.self), true) }
            bytes += piece
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    /// Closes both directions.
    func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A server whose responses a test determines byte by byte.
final class RawUpstream: Sendable {
    let port: Int
    private let listener: Int32

    /// `answer` receives the head of each request, and returns whether the connection stays open.
    init(_ answer: @escaping @Sendable (RawConnection, _ head: String) -> Bool) {
        let listener = RawConnection.makeSocket()
        self.listener = listener
        var address = RawConnection.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = listen(listener, 64)
                _ = getsockname(listener, $0, &size)
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                let connection = RawConnection(descriptor)
                Thread.detachNewThread {
                    while case let head = connection.receiveHead(), head.hasSuffix("\r\n\r\n"), answer(connection, head)
                    {}
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var address: String { "http://127.0.0.1:\(port)" }

    /// A server with the same response to every request, which closes the connection unless it is kept.
    static func saying(_ response: String, keepsAlive: Bool = false) -> RawUpstream {
        RawUpstream { connection, _ in
            connection.send(response)
            return keepsAlive
        }
    }
}
