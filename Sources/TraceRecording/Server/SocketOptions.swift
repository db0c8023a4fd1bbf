import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Channel {
    /// Closes the connection with a linger time of zero, so that the kernel sends a reset.
    func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }

    /// Limits the bytes that the kernel buffers before it sends them (`TCP_NOTSENT_LOWAT`). A write then completes when
    /// its bytes are sent instead of when they are in a buffer of megabytes, so that measured transfer times are near
    /// those of the client.
    func limitUnsentBytes(to count: Int) {
        guard let socket = self as? any SocketOptionProvider else { return }
        #if canImport(Darwin)
        let option = NIOBSDSocket.Option(rawValue: 0x201)
        #else
        let option = NIOBSDSocket.Option(rawValue: 25)
        #endif
        _ = socket.unsafeSetSocketOption(level: .tcp, name: option, value: CInt(count))
    }
}
