import Testing

@testable import ImageLibraries
@testable import ReplayEngine

/// Sequences of operations on the caches of Flutter, React Native, Picasso and Coil, worked out by hand from the
/// sources of the libraries.
@Suite("Sequences of operations on cross-platform caches")
struct OperationSequenceTests {
    @Test("The memory tier of the preset has the outcomes and the contents", arguments: OperationSequence.ofMemory)
    func ledger(sequence: OperationSequence) throws {
        let run = try sequence.runOnLedger()
        #expect(run.outcomes == sequence.expected)
        #expect(run.differences == [])
    }

    @Test("A replay of the preset has the outcomes", arguments: OperationSequence.replayed)
    func replay(sequence: OperationSequence) throws {
        let run = try sequence.replay()
        #expect(run.outcomes == sequence.expected.replacing("L", with: "H"))
        // What is not delivered from a tier is fetched, unless a request joins or cancels a fetch.
        #expect(run.result.counts.originFetches >= sequence.expected.count { $0 == "M" })
    }

    @Test("Every sequence of the table runs, or is listed with the reason why it cannot")
    func complete() {
        let names = OperationSequence.all.map { String($0.name.prefix { $0 != " " }) } + OperationSequence.elsewhere
        let known = Set(names).union(OperationSequence.notExpressed.keys)
        let numbers = ["F": 22, "E": 10, "R": 11, "A": 5, "I": 7, "P": 10, "K": 10]
        for (letter, count) in numbers {
            for number in 1...count { #expect(known.contains("\(letter)\(number)"), "\(letter)\(number) is missing") }
        }
        #expect(Set(names).isDisjoint(with: OperationSequence.notExpressed.keys))
        #expect(OperationSequence.notExpressed.values.allSatisfy { $0.hasSuffix(".") })
    }
}

extension OperationSequence {
    static let all = flutter

    static let ofMemory = all.filter(\.isOfMemoryAlone)
    static let replayed = all.filter(\.hasOneSizePerKey)

    private static let three = "flutter-3; memory: lru(3 objects)"
    private static let hundred = "flutter-3; memory: 400B"

    /// Flutter's ImageCache. A pixel has 4 bytes, so 400 bytes are a limit of 100.
    private static let flutter = [
        OperationSequence("F1", three, "GX A B C D -> MMMM; = B C D; GX A -> M"),
        OperationSequence("F2", three, "GX A B C -> MMM; GX A -> H; GX D -> M; = A C D; GX B -> M"),
        OperationSequence("F3", hundred, "GX A40 B40 C40 -> MMM; = B C 80"),
        OperationSequence("F4", hundred, "GX A100 -> M; = A 100; GX B1 -> M; = B 1"),
        OperationSequence("F5", hundred, "GX A60 -> M; GX Z101 -> M; G Z -> M; = A 60"),
        OperationSequence("F6", hundred, "G Z101 -> M; G Z -> L; = 0; X Z Z; G Z -> M"),
        OperationSequence("F7", "flutter-3; memory: lru(1 objects)", "G A -> M; GX B -> M; G A -> L; = A; GX B -> M"),
        OperationSequence("F8", hundred, "G A60 -> M; GX B60 -> M; = B 60"),
        OperationSequence("F9", "flutter-3", "P A A -> MJ; D A; GX A -> H"),
        OperationSequence("F10", "flutter-3", "P A -> M; X A; D A; G A -> H"),
        OperationSequence("F13", "flutter-3", "G A10 -> M; W; = 0; G A -> L; = A 10"),
        OperationSequence("F13 background", "flutter-3", "G A10 -> M; B; = 0; G A -> L; = A 10"),
        OperationSequence("F15", "flutter-3", "G A10 -> M; R A; G A -> M"),
        OperationSequence("F18", "flutter-3; memory: none", "G A A -> ML; X A A; G A -> M"),
        OperationSequence(
            "F19 bytes", "flutter-3; memory: 800B; memoryOnWarning: 320B",
            "GX A40 B40 C40 -> MMM; W; = B C 80"),
        OperationSequence("F19 none", "flutter-3; memory: 800B", "GX A40 B40 C40 -> MMM; W; = 0"),
        OperationSequence(
            "F20", "flutter-3; memory: lru(2 objects)", "G A B -> MM; GX C -> M; = B C; X A; G A -> M; G B -> L"),
        OperationSequence(
            "F21", "flutter-3",
            "GX Aone Atwo Awide Awider -> MMMM; = Aone Atwo Awide Awider"),
        OperationSequence("F22", "flutter-3", "GX A10000 -> M; = A 10000"),
    ]

    /// Sequences with a test of their own below, or in another file.
    static let elsewhere: [String] = []

    /// Sequences that a session or a cache of this package cannot express.
    static let notExpressed = [
        "F11": "A warning does not touch loads in progress: their images are stored when they end.",
        "F12": "A warning does not touch loads in progress: their images are stored when they end.",
        "F14": "No session says that an app removes the images that it still shows from Flutter's live images.",
        "F16": "A removal takes an image out of all of memory; evict(includeLive: false) leaves the live ones.",
        "F17": "A removal does not touch loads in progress, so a second request joins the first one.",
    ]
}
