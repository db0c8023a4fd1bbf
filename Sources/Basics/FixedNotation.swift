#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Double {
    /// Returns the number with so many digits after the point, without an exponent, as C's `printf` writes it in the C
    /// locale. Foundation's `String(format:)` takes about five times as long.
    public func fixed(_ places: Int) -> String {
        // The largest number has 309 digits before the point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 320 + places) { text in
            guard let start = text.baseAddress else { return "" }
            let length = withVaList([Int32(places), self]) { vsnprintf(start, text.count, "%.*f", $0) }
            let bytes = UnsafeRawBufferPointer(start: start, count: max(0, min(Int(length), text.count - 1)))
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
