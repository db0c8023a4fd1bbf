/// A parameter of modelled people. ``PeopleModel`` has the values; ``facts`` has what is known of each.
public enum PeopleParameter: Int, Sendable, CaseIterable {
    case pause, pauseSpread, pauseBetweenPeople
    case oneGesture, gapInBurst, gapInBurstSpread
    case drag, dragSpread
    case releaseSpeed, releaseSpeedSpread, hardShare, hardSpeed, hardSpeedSpread, fastestRelease
    case dragOnlyShare, dragOnlyTime, dragOnlyDistance, dragOnlySpread
    case backAfterForward, backAfterBack, backFactor
    case openChance, look, lookSpread, swipeChance
    case visitLength, visitSpread, visitGap, visitGapSpread, shortestGap
    case keptShare, keptTime, positionKept, positionKeptTime
    case absences, absenceLength, absenceSpread, endedHalfTime
    case littleMemoryShare, iosShare, warningsLittleMemory, warnings
    case pictureBytes, pictureSpread, largestPicture, jpegShare, webpShare
    case bitsJPEG, bitsWebP, bitsAVIF, thumbnailPixels, avatarPixels, thumbnailSpread
    case galleryPictures, galleryNewPerDay, searchKeystrokes, searchAgain, searchQueries
    case chatMessages, chatNewPerDay, chatPictureShare, chatContacts
    case prefetchRows
    case firstByte, firstByteBetweenPeople, firstByteSpread, rate, rateBetweenPeople, rateSpread
    case stallChance, stall, connections, missing, serverErrors

    /// How a value is known.
    public enum Certainty: String, Sendable, CaseIterable {
        /// Computed from data of people.
        case observed
        /// Computed from data of people on another device, or of few testers.
        case observedElsewhere = "observed elsewhere"
        /// Read in the source.
        case published
        /// Follows from other figures.
        case derived
        /// No measurement of it is known. A result that depends on it has to say so.
        case assumed
    }

    /// What is known of a parameter.
    public struct Facts: Sendable {
        public let parameter: PeopleParameter
        /// The name in options, files and tables.
        public let name: String
        public let value: Double
        /// The unit; empty for numbers without one.
        public let unit: String
        public let range: ClosedRange<Double>
        public let certainty: Certainty
        public let meaning: String
        public let source: String
        /// The apps whose sessions depend on the parameter.
        public let apps: [PeopleModel.App]

        init(
            _ parameter: PeopleParameter, _ name: String,
            _ amount: (value: Double, unit: String, range: ClosedRange<Double>),
            _ known: (certainty: Certainty, source: String), _ meaning: String,
            apps: [PeopleModel.App] = PeopleModel.App.allCases
        ) {
            self.parameter = parameter
            self.name = name
            (value, unit, range) = amount
            certainty = known.certainty
            source = known.source
            self.meaning = meaning
            self.apps = apps
        }
    }

    /// What is known of this parameter.
    public var facts: Facts { Self.all[rawValue] }

    /// Whether the value is a number of things, without a fraction. Means of numbers have fractions.
    var isCount: Bool {
        switch self {
        case .thumbnailPixels, .avatarPixels, .galleryPictures, .chatMessages, .chatContacts, .prefetchRows,
            .connections:
            true
        default: false
        }
    }

    /// Whether the parameter describes the networks of people, which a chosen network replaces.
    var describesNetwork: Bool {
        switch self {
        case .firstByte, .firstByteBetweenPeople, .firstByteSpread, .rate, .rateBetweenPeople, .rateSpread,
            .stallChance, .stall:
            true
        default: false
        }
    }

    /// Whether a phone that all people have replaces the parameter: the shares of phones, and the warnings of phones
    /// with more or less memory.
    func isReplaced(by phone: Phone) -> Bool {
        switch self {
        case .littleMemoryShare, .iosShare: true
        case .warnings: phone.hasLittleMemory
        case .warningsLittleMemory: !phone.hasLittleMemory
        default: false
        }
    }

    /// The parameter with a name; nil if there is none.
    public init?(named name: String) {
        guard let facts = Self.all.first(where: { $0.name == name }) else { return nil }
        self = facts.parameter
    }
}
