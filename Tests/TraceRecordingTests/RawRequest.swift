#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Sends text to a port of this machine, and returns all bytes until the other side closes: a minimal HTTP client.
func rawRequest(_ text: String, port: Int) -> String {
    #if os(Linux)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { return "" }
    let request = Array(text.utf8)
    guard send(descriptor, request, request.count, 0) == request.count else { return "" }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 { answer += piece[..<count] }
    return String(decoding: answer, as: UTF8.self)
}
