import Basics
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The IPv4 addresses of this machine, without the loopback address.
enum LocalAddresses {
    /// Returns the addresses at which other devices reach a page: one for each network, if the server listens at all of
    /// them.
    static func pages(at address: String, host: String) -> [String] {
        guard host == "0.0.0.0" || host == "::", var parts = URLComponents(string: address) else { return [address] }
        let others = reachable.compactMap { other -> String? in
            parts.host = other
            return parts.string
        }
        return others.isEmpty ? [address] : others
    }

    static var reachable: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, entry.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            found.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return found
    }
}

/// A QR code of an address, drawn in the terminal by qrencode if it is installed.
enum QRCode {
    static let remedy =
        """
        Install qrencode to show a QR code of the address here (apt-get install qrencode; brew install qrencode).
        """

    /// Returns the QR code as text, or nil without qrencode.
    static func text(_ address: String) -> String? {
        let arguments = ["qrencode", "--type=ANSIUTF8", "--margin=2", "--", address]
        guard let process = try? SpawnedProcess("/usr/bin/env", arguments, output: .pipe) else { return nil }
        let text = SpawnedProcess.readAll(process.output)
        return process.wait() == .exit(0) && !text.isEmpty ? String(decoding: text, as: UTF8.self) : nil
    }
}
