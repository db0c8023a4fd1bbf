import Basics
import Testing

@Suite("Nearest names of long texts")
struct NearestNameLengthTests {
    @Test("a text of more than 256 bytes is near no name, not even its own")
    func long() {
        let name = String(repeating: "x", count: 257)
        #expect(nearestName(to: name, among: [name]) == nil)
        #expect(nearestName(to: String(name.dropLast()), among: [name]) == name)
    }
}
