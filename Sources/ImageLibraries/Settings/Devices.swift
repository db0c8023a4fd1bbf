import Basics
import Statistics

/// A device, or a class of devices, with the memory at which the system stops an app.
///
/// The table holds only figures that a source states. For the newest devices, no such source was found.
public struct KnownDevice: Sendable, Equatable {
    public enum Evidence: String, Sendable, CaseIterable {
        /// The vendor of the system states the figure.
        case documented
        /// Developers measured the figure, with the version of the system that is given. Other versions can differ.
        case reported
    }

    public enum Consequence: String, Sendable, CaseIterable {
        /// iOS ends the process; the limit holds for all of its memory.
        case processEnds
        /// Android throws OutOfMemoryError. The limit holds for the managed heap, in which bitmaps have their pixels
        /// up to Android 7, and no longer from Android 8 on.
        case managedHeapIsFull
    }

    public let name: String
    /// The limit, in bytes.
    public let limit: Int
    /// The physical memory, in bytes, as the source of the limit states it; nil for a class of devices.
    public let memory: Int?
    public let consequence: Consequence
    public let evidence: Evidence
    /// The version of the system for which the limit was measured or is documented; nil if the source states none.
    public let system: String?
    /// The address of the page that states the figures.
    public let source: String

    /// Every device, in the order of the list.
    public static let all = phonesAndTablets + screens

    /// Returns the device of the given name, without regard to case.
    ///
    /// - Throws: ``UnknownDevice`` with the nearest name.
    public static func named(_ name: String) throws(UnknownDevice) -> KnownDevice {
        let typed = name.lowercased()
        guard let device = all.first(where: { $0.name.lowercased() == typed }) else {
            throw UnknownDevice(name: name, nearest: nearestName(to: name, among: all.map(\.name)))
        }
        return device
    }

    private static let phonesAndTablets = [
        iOS("iPhone 5s", 646, of: 1024), iOS("iPhone 6", 645, of: 1024, "iOS 8"),
        iOS("iPhone 6s", 1396, of: 2048, "iOS 9.2"), iOS("iPhone SE", 1395, of: 2048, "iOS 9.3"),
        iOS("iPhone 7", 1395, of: 2048, "iOS 10.2"), iOS("iPhone 7 Plus", 2040, of: 3072, "iOS 10.2.1"),
        iOS("iPhone 8", 1364, of: 1990, "iOS 12.1"), iOS("iPhone X", 1392, of: 2785, "iOS 11.2.1"),
        iOS("iPhone XR", 1792, of: 2813, "iOS 12.1"), iOS("iPhone XS", 2040, of: 3754, "iOS 12.1"),
        iOS("iPhone XS Max", 2039, of: 3735, "iOS 12.1"), iOS("iPhone 11", 2068, of: 3844, "iOS 13.1.3"),
        iOS("iPhone 11 Pro Max", 2067, of: 3740, "iOS 13.2.3"), iOS("iPad Air 2", 1383, of: 2048, "iOS 10.2.1"),
        iOS("iPad 10.2", 1844, of: 2998, "iOS 13.2.3"), iOS("iPad Pro 11 (2018)", 2858, of: 3769, "iOS 12.1"),
        iOS("iPad Pro 12.9 (2018, 1TB)", 4598, of: 5650, "iOS 12.1"),
    ]

    /// The least memory classes of Android's Compatibility Definition, section 3.7, for small and normal screens.
    private static let screens = [
        android("Android 240dpi", 48), android("Android 320dpi", 80), android("Android 400dpi", 96),
        android("Android 420dpi", 112), android("Android 480dpi", 128), android("Android 560dpi", 192),
        android("Android 640dpi", 256),
    ]

    /// A device of Apple, in MiB. The source does not say whether its megabytes are 10^6 or 2^20 bytes; its physical
    /// memories of 1024 and 2048 suggest 2^20.
    private static func iOS(_ name: String, _ limit: Int, of memory: Int, _ system: String? = nil) -> KnownDevice {
        KnownDevice(
            name: name, limit: limit << 20, memory: memory << 20, consequence: .processEnds, evidence: .reported,
            system: system, source: "https://stackoverflow.com/a/15200855")
    }

    private static func android(_ name: String, _ limit: Int) -> KnownDevice {
        KnownDevice(
            name: name, limit: limit << 20, memory: nil, consequence: .managedHeapIsFull, evidence: .documented,
            system: "Android 8.1",
            source: """
                http://xrefandroid.com/android-8.1.0_r81/download/compatibility/cdd/3_software/\
                3_7_runtime-compatibility.md
                """)
    }
}

/// A name that is not in the table of devices.
public struct UnknownDevice: Error, Equatable, CustomStringConvertible {
    public let name: String
    /// The name that was most likely meant.
    public let nearest: String?

    public var description: String {
        let hint =
            nearest.map { "did you mean '\($0)'?" }
            ?? "known: \(KnownDevice.all.map(\.name).joined(separator: ", "))"
        return "there is no device '\(VisibleText.line(name))'; \(hint)"
    }
}

/// The sessions whose memory comes close to the limit at which the system ends an app.
public struct NearLimitShare: Sendable, Equatable {
    /// The sessions that are within a tenth of the limit, or above it.
    public let near: Int
    /// All sessions; at least 1.
    public let sessions: Int

    /// The share of the sessions that are near the limit, from 0 to 1.
    public var share: Double { Double(near) / Double(sessions) }

    /// Counts the sessions that are near a limit.
    ///
    /// A session is near the limit if its peak and the baseline together are at least nine tenths of the limit.
    ///
    /// - Parameters:
    ///   - peaks: The largest number of bytes of each session, such as `RunResult.imageMemoryPeak`.
    ///   - baseline: The bytes that the rest of the app holds.
    ///   - limit: The bytes at which the system ends the app.
    /// - Returns: nil if there is no session, or if a number of bytes is below 0, or if the limit is 0.
    public init?(peaks: some Collection<Int>, baseline: Int, limit: Int) {
        guard !peaks.isEmpty, baseline >= 0, limit > 0, peaks.allSatisfy({ $0 >= 0 }) else { return nil }
        // The smallest whole number of bytes that is at least 0.9 · limit.
        let threshold = limit - limit / 10
        near = peaks.count { peak in
            let (total, isTooLarge) = peak.addingReportingOverflow(baseline)
            return isTooLarge || total >= threshold
        }
        sessions = peaks.count
    }

    /// The 95 % confidence interval of the share, after Wilson (1927). It assumes that sessions are independent:
    /// several sessions of one user make it too narrow.
    public var interval: ClosedRange<Double> { WilsonInterval.ofShare(Double(near), of: sessions) }
}
