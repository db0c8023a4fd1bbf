import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Channel {
    /// Lets the kernel take no more than this much of what it cannot send yet (`TCP_NOTSENT_LOWAT`). A write is then
    /// done when its bytes are under way, and not when they are in a buffer of megabytes: transfer times that are
    /// measured here come near those of the client.
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
