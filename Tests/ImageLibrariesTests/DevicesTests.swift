import Foundation
import Testing

@testable import ImageLibraries

@Suite("Devices and their limits")
struct DevicesTests {
    @Test("Each device has a unique name, a limit that its memory allows, and an address as its source")
    func plausible() {
        #expect(Set(KnownDevice.all.map { $0.name.lowercased() }).count == KnownDevice.all.count)
        #expect((10...25).contains(KnownDevice.all.count))
        for device in KnownDevice.all {
            #expect(device.limit >= 16 << 20 && device.limit < device.memory ?? .max, "\(device.name)")
            #expect(URL(string: device.source)?.scheme?.hasPrefix("http") == true, "\(device.name)")
            #expect((device.evidence == .reported) == (device.memory != nil), "\(device.name)")
        }
    }

    @Test("A name is found without regard to case; the limit is in bytes")
    func found() throws {
        let device = try KnownDevice.named("IPHONE xr")
        #expect(device.name == "iPhone XR" && device.limit == 1792 * 1_048_576 && device.consequence == .processEnds)
        #expect(try KnownDevice.named("android 420DPI").limit == 112 * 1_048_576)
    }

    @Test("A mistyped name is an error that names the nearest device, or else all of them")
    func mistyped() {
        let typo = #expect(throws: UnknownDevice.self) { try KnownDevice.named("iPhone XRR") }
        #expect(typo?.description == "there is no device 'iPhone XRR'; did you mean 'iPhone XR'?")
        let other = #expect(throws: UnknownDevice.self) { try KnownDevice.named("a toaster of 1998") }
        #expect(other?.description.hasPrefix("there is no device 'a toaster of 1998'; known: iPhone 5s, ") == true)
    }

    @Test("Devices.md has a row for each device")
    func documented() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).appending(
                path: "../../../Sources/ImageLibraries/ImageLibraries.docc/Devices.md"
            ).standardized, encoding: .utf8)
        let rows = KnownDevice.all.map { device in
            """
            | \(device.name) | \(device.limit >> 20) | \(device.memory.map { "\($0 >> 20)" } ?? "–") \
            | \(device.system ?? "–") | \(device.evidence.rawValue) |
            """
        }
        let written = page.split(separator: "\n").filter { $0.hasPrefix("| iP") || $0.hasPrefix("| Android ") }
        #expect(written.map(String.init) == rows, "Devices.md expects:\n\(rows.joined(separator: "\n"))")
    }

    @Test("A session is near the limit from nine tenths of it, the baseline included")
    func near() throws {
        // Nine tenths of 1000 are 900. With a baseline of 400: 899, 900, 1000, 1500.
        let share = try #require(NearLimitShare(peaks: [499, 500, 600, 1100], baseline: 400, limit: 1000))
        #expect(share.near == 3 && share.sessions == 4 && share.share == 0.75)
        // Nine tenths of 1001 are 900.9: 900 is below, 901 is not.
        #expect(NearLimitShare(peaks: [900, 901], baseline: 0, limit: 1001)?.near == 1)
        // The sum exceeds the largest integer.
        #expect(NearLimitShare(peaks: [.max], baseline: .max, limit: .max)?.near == 1)
    }

    @Test("There is no share of no sessions, of negative bytes, or of a limit of 0")
    func noShare() {
        #expect(NearLimitShare(peaks: [], baseline: 0, limit: 1) == nil)
        #expect(NearLimitShare(peaks: [-1], baseline: 0, limit: 1) == nil)
        #expect(NearLimitShare(peaks: [1], baseline: -1, limit: 1) == nil)
        #expect(NearLimitShare(peaks: [1], baseline: 0, limit: 0) == nil)
    }

    @Test("The interval is Wilson's: 3 of 10 is from 10.78 % to 60.32 %, and 0 of 10 is up to 27.75 %")
    func interval() throws {
        func interval(_ near: Int, of sessions: Int) throws -> ClosedRange<Double> {
            let peaks = (0..<sessions).map { $0 < near ? 10 : 0 }
            return try #require(NearLimitShare(peaks: peaks, baseline: 0, limit: 10)).interval
        }
        // z² = 3.841459. The centre is (0.3 + 0.192073) / 1.384146 = 0.355507. Half of the width is
        // 1.959964 · √0.03060365 / 1.384146 = 0.247715.
        let three = try interval(3, of: 10)
        #expect(abs(three.lowerBound - 0.107791) < 2e-6 && abs(three.upperBound - 0.603222) < 2e-6)
        // z² / (10 + z²) = 3.841459 / 13.841459 = 0.277533.
        let none = try interval(0, of: 10)
        #expect(none.lowerBound == 0 && abs(none.upperBound - 0.277533) < 2e-6)
        let all = try interval(10, of: 10)
        #expect(abs(all.lowerBound - 0.722467) < 2e-6 && all.upperBound == 1)
    }
}
