import Foundation

/// A socket that hides nothing. Gives up after half a minute, so that a test that fails does not hang.
final class RawConnection: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port of this machine; `receiveBuffer` bounds what the kernel takes ahead of us.
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

    /// Returns whether all of it was taken.
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

    /// At most `limit` bytes, empty at the end; nil where the connection was reset.
    func receive(_ limit: Int = 65_536) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &piece, limit, 0)
        return count < 0 ? nil : Array(piece[..<count])
    }

    /// Up to the empty line and no further, or to the end.
    func receiveHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = receive(1), !byte.isEmpty { head += byte }
        return String(decoding: head, as: UTF8.self)
    }

    /// Exactly so many bytes, fewer at the end.
    func receive(exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = receive(min(65_536, count - bytes.count)), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }

    /// All until the other side closes, and whether it did so in good order.
    func receiveAll() -> (text: String, isWhole: Bool) {
        var bytes: [UInt8] = []
        while let piece = receive() {
            if piece.isEmpty { return (String(decoding: bytes, as: UTF8.self), true) }
            bytes += piece
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    /// Ends in good order, in both directions.
    func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A server that says exactly what a test tells it to.
final class RawUpstream: Sendable {
    let port: Int
    private let listener: Int32

    /// `answer` is given the head of each request, and says whether the connection goes on.
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

    /// One that gives every request the same answer, and closes after it unless it is to be kept.
    static func saying(_ response: String, keepsAlive: Bool = false) -> RawUpstream {
        RawUpstream { connection, _ in
            connection.send(response)
            return keepsAlive
        }
    }
}
