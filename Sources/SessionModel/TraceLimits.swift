/// The largest values that readers accept: far above any recording, and low enough that sums over a trace cannot
/// overflow.
package enum TraceLimits {
    /// Microseconds: 285 years.
    package static let time: Int64 = 1 << 53
    /// Of one object: 1 TiB.
    package static let bytes: Int64 = 1 << 40
    /// Of one side of an image.
    package static let pixels: Int64 = 1 << 20
}
