/// The sequences, each with the outcomes that follow from the source of the library. Numbers are those of the facts
/// that were collected: F Flutter, E expo-image, R and A React Native on iOS and on Android, I FastImage, P Picasso,
/// K Coil.
extension OperationSequence {
    static let all = flutter + expo + reactNative + fastImage + picasso + coil

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
        OperationSequence("F13", "flutter-3", "G A10 -> M; W; = 0; G A -> L; = A 10; B; = 0; G A -> L"),
        OperationSequence("F15", "flutter-3", "G A10 -> M; R A; G A -> M"),
        OperationSequence("F18", "flutter-3; memory: none", "G A A -> ML; X A A; G A -> M"),
        OperationSequence(
            "F19 bytes", "flutter-3; memory: 800B; memoryOnWarning: 320B",
            "GX A40 B40 C40 -> MMM; W; = B C 80"),
        OperationSequence(
            "F20", "flutter-3; memory: lru(2 objects)", "G A B -> MM; GX C -> M; = B C; X A; G A -> M; G B -> L"),
        OperationSequence(
            "F21", "flutter-3",
            "GX Aone Atwo Awide Awider -> MMMM; = Aone Atwo Awide Awider"),
    ]

    private static let memoryDisk = """
        expo-image-ios; memory: nscache(cost: 0B, model: lru); cost: decoded; store: memoryAndDisk; promote: true
        """

    private static let expo = [
        OperationSequence("E1 iOS", "expo-image-ios", "GX A -> M; GX A -> D"),
        OperationSequence("E1 Android", "expo-image-android", "GX A -> M; GX A -> D"),
        OperationSequence("E2", memoryDisk, "GX A -> M; GX A -> H"),
        OperationSequence("E3", "expo-image-ios", "G A -> M; G A -> D"),
        OperationSequence("E4", "expo-image-ios", "F A; G A -> D"),
        // A prefetch has no size, so a view has another key. What expo-image calls memory-disk is the preset glide.
        OperationSequence("E5", "glide", "F A90000; G A@100 -> D; G A@100 -> H"),
        OperationSequence(
            "E6", "expo-image-ios; memory: unbounded; cost: decoded; store: memoryOnly; disk: none",
            "GX A -> M; W; G A -> M"),
        OperationSequence("E7", "expo-image-ios; disk: none", "GX A -> M; GX A -> M"),
        OperationSequence("E8", "expo-image-ios", "GX A -> M; wait 144; GX A -> D; wait 48; B; G A -> D"),
        // The preset has the disk of version 58 and later.
        OperationSequence("E10", "expo-image-android", "bad A -> !; GX A -> M; GX A -> D"),
    ]

    /// 724 x 724 pixels are 2,096,704 bytes, and 725 x 725 are 2,102,500. The limit for a single one is 2,097,152.
    private static let reactNative = [
        OperationSequence("R1", "rn-image-ios", "GX A524176 -> M; GX A -> H; GX B525625 -> M; GX B -> D"),
        OperationSequence(
            "R2", "rn-image-ios; disk: none",
            """
            GX A524176 B524176 C524176 D524176 E524176 F524176 G524176 H524176 I524176 J524176 -> MMMMMMMMMM; \
            = A B C D E F G H I J 5241760; GX K524176 -> M; = B C D E F G H I J K 5241760
            """),
        OperationSequence("R3", "rn-image-ios", "GX A -> M; B; G A -> D"),
        OperationSequence("R4", "rn-image-ios", "GX A90000@100 -> M; GX A@200 -> D; GX A@100 -> H"),
        OperationSequence("R5", "rn-image-ios", "F A90000; G A@100 -> M", header: "cache-control: no-store"),
        OperationSequence("R6", "rn-image-ios", "F A90000; G A@100 -> D", header: "cache-control: max-age=600"),
        OperationSequence("R10", "rn-image-ios", "GX A -> M; wait 240; GX A -> H; W; GX A -> M"),
        OperationSequence("R11", "rn-image-ios; disk: none", "P A A -> MM; D A; GX A -> H"),
        OperationSequence("A1", "rn-image-android", "G A12000000 -> M; = A 12000000"),
        OperationSequence("A2", "rn-image-android", "F A; G A -> D"),
        OperationSequence("A4", "rn-image-android", "GX A -> M; W; B; G A -> H"),
        OperationSequence("A5", "rn-image-android", "GX A -> M; T; G A -> D"),
    ]

    private static let fastImage = [
        OperationSequence("I1", "fast-image-ios", "G A -> M; W; = 0; G A -> L; = 0"),
        OperationSequence("I2", "fast-image-ios", "GX A -> M; W; G A -> D"),
        OperationSequence("I2 background", "fast-image-ios", "GX A -> M; B; G A -> D"),
        OperationSequence("I3", "fast-image-ios", "GX A -> M; wait 144; T; GX A -> D; wait 27; B; T; G A -> M"),
        OperationSequence("I4", "fast-image-ios", "bad A -> !; GX A -> M; GX A -> H"),
        OperationSequence("I5", "fast-image-ios", "F A; G A -> H"),
        OperationSequence("I6", "fast-image-android", "F A90000; G A@100 -> D; G A@100 -> H"),
        OperationSequence("I7", "fast-image-android; memory: none; disk: none", "GX A -> M; GX A -> M"),
    ]

    private static let picasso = [
        OperationSequence("P2", "picasso-3; memory: 400B", "GX A100 -> M; = A 100; S A101; = 0; G A -> M"),
        OperationSequence("P3", "picasso-3; memory: 400B", "GX A10 -> M; GX Z101 -> M; = A 10"),
        OperationSequence("P4", "picasso-3; memory: 400B", "GX A40 B40 -> MM; GX A -> H; GX C40 -> M; = A C 80"),
        OperationSequence("P5", "picasso-3", "GX A90000@100 -> M; GX A@200 -> D; GX A@100 A@200 -> HH"),
        OperationSequence("P5 2.8", "picasso-2", "GX A90000@100 -> M; GX A@200 -> D"),
        OperationSequence("P6", "picasso-3", "GX A -> M; W; B; G A -> H"),
        OperationSequence("P9", "picasso-3", "P A -> M; X A; D A; G A -> H"),
    ]

    private static let coil = [
        OperationSequence(
            "K2", "coil-3-ios; memory: 400B", "G A100 -> M; = A 100; S A101; = 0; G A -> L; = 0; X A A; G A -> M"),
        OperationSequence("K3", "coil-3-ios", "GX A -> M; W; G A -> H"),
        OperationSequence("K4", "coil-3-ios; memory: 400B", "G A60 -> M; GX B60 -> M; G A -> L; = B 60"),
        OperationSequence("K5", "coil-3-ios", "P A A -> MM; D A; GX A -> H"),
        OperationSequence("K6", "coil-3-ios", "404 A -> !; GX A -> !; T; GX A -> !; R A; GX A -> M; GX A -> H"),
        OperationSequence("K6 Android", "coil-3", "404 A -> !; GX A -> !; R A; GX A -> M; GX A -> H"),
        OperationSequence(
            "K6 evicted", "coil-3-ios; disk: 100B", "404 A -> !; GX A -> !; GX B -> M; GX A -> M; GX A -> H"),
        OperationSequence("K7", "coil-3-ios", "GX A90000@100 -> M; GX A@200 -> D; GX A@100 -> H"),
        OperationSequence("K8", "coil-3-ios", "GX A -> M; wait 24; T; G A -> D"),
        OperationSequence("K10", "coil-3-ios", "P A -> -; X A; D A; G A -> M"),
    ]
}
