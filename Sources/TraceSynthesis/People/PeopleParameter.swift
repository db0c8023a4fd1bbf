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

    /// The facts about a parameter.
    public struct Facts: ParameterFacts {
        public let parameter: PeopleParameter
        public let name: String
        public let value: Double
        public let unit: String
        public let range: ClosedRange<Double>
        public let certainty: Certainty
        public let meaning: String
        public let source: String
        /// The apps whose sessions depend on the parameter.
        public let apps: [PeopleModel.App]

        public var isCount: Bool { parameter.isCount }

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
}

extension PeopleParameter {
    private typealias Known = (certainty: Certainty, source: String)

    private static let readers = """
        598 readers of two articles each, mostly with a mouse wheel (github.com/siangooding/readability_scroll, \
        arXiv 2105.06354)
        """
    private static let news = "44 readers of a news site in 21 days (github.com/ebanalyse/ebnerd-benchmark)"
    private static let flutter = "12 drags of a tester (Flutter, velocity_tracker_data.dart)"
    private static let flings = """
        25 flings of testers (Flutter, velocity_tracker_test.dart; Android Open Source Project, \
        VelocityTracker_test.cpp)
        """
    private static let almanac = "HTTP Archive, Web Almanac 2024, chapter Media, mobile pages"
    private static let unmeasured: Known = (.assumed, "no measurement is known")

    private static func elsewhere(_ source: String) -> Known { (.observedElsewhere, source) }
    private static func observed(_ source: String) -> Known { (.observed, source) }
    private static func published(_ source: String) -> Known { (.published, source) }

    /// All parameters with what is known of them, in the order of the cases.
    public static let all: [Facts] = gestures + visits + system + pictures + apps + network

    private static let gestures: [Facts] = [
        Facts(
            .pause, "pause", (2.5, "s", 0.05...3600),
            (.derived, "a feed then has 1.7 s per item, the mean that Facebook IQ published in 2016"),
            "the median time from a burst's last release to the next touch (log-normal)"),
        Facts(
            .pauseSpread, "pause-spread", (1.1, "", 0...3),
            observed("\(readers): 1.11; 1,290 short videos (github.com/PrincetonUniversity/Dashlet): 1.08"),
            "the standard deviation of the logarithm of a person's pauses"),
        Facts(
            .pauseBetweenPeople, "pause-between-people", (0.375, "", 0...3), elsewhere(readers),
            "the standard deviation of the logarithm of the factor that a person has on all pauses"),
        Facts(
            .oneGesture, "one-gesture", (0.6, "", 0.05...1), elsewhere("\(readers): 0.52 to 0.61"),
            "the probability that a burst ends with a gesture: bursts have a geometric number of gestures"),
        Facts(
            .gapInBurst, "gap-in-burst", (0.42, "s", 0.01...60), elsewhere(flutter),
            "the median time from a release to the next touch within a burst (log-normal)"),
        Facts(
            .gapInBurstSpread, "gap-in-burst-spread", (0.38, "", 0...3), elsewhere(flutter),
            "the spread of gap-in-burst"),
        Facts(
            .drag, "drag", (0.12, "s", 0.02...10), elsewhere(flutter),
            "the median time from touch to release (log-normal)"),
        Facts(
            .dragSpread, "drag-spread", (0.3, "", 0...3), elsewhere(flutter), "the spread of drag"),
        Facts(
            .releaseSpeed, "release-speed", (2_000, "points/s", 50...100_000), elsewhere(flings),
            "the median speed at which a finger releases the list (log-normal)"),
        Facts(
            .releaseSpeedSpread, "release-speed-spread", (0.48, "", 0...2), elsewhere(flings),
            "the spread of release-speed"),
        Facts(
            .hardShare, "hard-share", (0.04, "", 0...1), unmeasured, "the share of gestures that are hard flings"),
        Facts(
            .hardSpeed, "hard-speed", (8_000, "points/s", 50...100_000),
            elsewhere("6 flings \u{201C}as hard as possible\u{201D} (Android, VelocityTracker_test.cpp)"),
            "the median release speed of hard flings (log-normal)"),
        Facts(
            .hardSpeedSpread, "hard-speed-spread", (0.32, "", 0...2),
            elsewhere("6 flings \u{201C}as hard as possible\u{201D} (Android, VelocityTracker_test.cpp)"),
            "the spread of hard-speed"),
        Facts(
            .fastestRelease, "fastest-release", (8_000, "points/s", 50...100_000),
            published("Android, ViewConfiguration; Flutter has the same limit on iOS"),
            "the largest release speed that the system takes"),
        Facts(
            .dragOnlyShare, "drag-only-share", (0.3, "", 0...1), unmeasured,
            "the share of gestures that end without momentum"),
        Facts(
            .dragOnlyTime, "drag-only-time", (0.4, "s", 0.02...60), unmeasured,
            "the median time of a gesture without momentum (log-normal, spread of drag)"),
        Facts(
            .dragOnlyDistance, "drag-only-distance", (0.2, "screens", 0.001...10), unmeasured,
            "the median distance of a gesture without momentum (log-normal, at most 0.8 screens)"),
        Facts(
            .dragOnlySpread, "drag-only-spread", (0.9, "", 0...3), unmeasured, "the spread of drag-only-distance"),
        Facts(
            .backAfterForward, "back-after-forward", (0.16, "", 0...1),
            elsewhere("\(readers): 0.20 to 0.24, lowered so that a quarter of the scrolls go back"),
            "the probability that a burst goes back after one that went forward"),
        Facts(
            .backAfterBack, "back-after-back", (0.25, "", 0...1), elsewhere("\(readers): 0.25 to 0.45"),
            "the probability that a burst goes back after one that went back"),
        Facts(
            .backFactor, "back-factor", (1.5, "", 0.1...10), elsewhere("\(readers): distances 1.5 to 3 times as long"),
            "the factor on the number of gestures of a burst that goes back"),
        Facts(
            .openChance, "open-chance", (0.05, "", 0...1), unmeasured,
            "the probability that a picture is opened after a burst"),
        Facts(
            .look, "look", (3, "s", 0.05...3600), unmeasured, "the median time at an opened picture (log-normal)"),
        Facts(
            .lookSpread, "look-spread", (1, "", 0...3), unmeasured, "the spread of look"),
        Facts(
            .swipeChance, "swipe-chance", (0.45, "", 0...0.95), unmeasured,
            "the probability that a person turns to the next picture of a gallery instead of closing the opened one",
            apps: [.gallery]),
    ]

    private static let visits: [Facts] = [
        Facts(
            .visitLength, "visit-length", (105, "s", 1...86_400), observed("\(news), phones"),
            "the median length of a visit (log-normal)"),
        Facts(
            .visitSpread, "visit-spread", (1.27, "", 0...3), observed("\(news), phones"), "the spread of visit-length"),
        Facts(
            .visitGap, "visit-gap", (2.8, "h", 0.01...10_000), observed(news),
            "the median time between visits (log-normal, above shortest-gap)"),
        Facts(
            .visitGapSpread, "visit-gap-spread", (1.47, "", 0...3), observed(news), "the spread of visit-gap"),
        Facts(
            .shortestGap, "shortest-gap", (0.5, "h", 0.001...24), observed(news),
            "the shortest time between visits; a shorter one is an absence within a visit"),
        Facts(
            .keptShare, "kept-share", (0.46, "", 0...1), observed(news),
            "the share of known pictures in a feed that was refreshed at once", apps: [.feed]),
        Facts(
            .keptTime, "kept-time", (1.65, "h", 0.01...10_000), observed(news),
            "the time after which a refreshed feed has 1/e of that share", apps: [.feed]),
        Facts(
            .positionKept, "position-kept", (0.8, "", 0...1), unmeasured,
            """
            the probability that a list is where it was after an absence below position-kept-time; else it is \
            refreshed and at its top
            """
        ),
        Facts(
            .positionKeptTime, "position-kept-time", (600, "s", 0...1e7), unmeasured,
            "the longest absence after which a list may be where it was"),
        Facts(
            .absences, "absences", (0.5, "", 0...100), unmeasured,
            "the mean number of short absences in a visit (geometric)"),
        Facts(
            .absenceLength, "absence-length", (20, "s", 0.1...1e6), unmeasured,
            "the median length of a short absence (log-normal)"),
        Facts(
            .absenceSpread, "absence-spread", (1, "", 0...3), unmeasured, "the spread of absence-length"),
        Facts(
            .endedHalfTime, "ended-half-time", (14_400, "s", 1...1e9), unmeasured,
            """
            the time in the background after which the system has ended half of the apps; after t seconds, it has \
            ended t / (t + this) of them
            """
        ),
    ]

    private static let system: [Facts] = [
        Facts(
            .littleMemoryShare, "little-memory-share", (0.3, "", 0...1), unmeasured,
            "the share of people whose phone has little memory"),
        Facts(
            .iosShare, "ios-share", (0.5, "", 0...1), unmeasured, "the share of people with an iPhone"),
        Facts(
            .warningsLittleMemory, "warnings-little-memory", (2, "1/h", 0...1_000), unmeasured,
            "memory warnings per hour in the foreground on a phone with little memory (Poisson)"),
        Facts(
            .warnings, "warnings", (0.1, "1/h", 0...1_000), unmeasured,
            "memory warnings per hour in the foreground on other phones (Poisson)"),
    ]

    private static let pictures: [Facts] = [
        Facts(
            .pictureBytes, "picture-bytes", (135_000, "bytes", 100...1e8),
            published("\(almanac): largest image of a page"), "the median encoded bytes of full images (log-normal)"),
        Facts(
            .pictureSpread, "picture-spread", (1.77, "", 0...3), published("\(almanac): quartiles 37 and 404 kB"),
            "the spread of picture-bytes"),
        Facts(
            .largestPicture, "largest-picture", (12, "megapixels", 0.01...500), unmeasured,
            "the most pixels of a full image; larger ones are delivered with these"),
        Facts(
            .jpegShare, "jpeg-share", (0.71, "", 0...1), published("\(almanac): JPEG 32, WebP 12, AVIF 1 %"),
            "the share of JPEG among pictures"),
        Facts(
            .webpShare, "webp-share", (0.27, "", 0...1), published("\(almanac): JPEG 32, WebP 12, AVIF 1 %"),
            "the share of WebP among pictures; the rest is AVIF"),
        Facts(
            .bitsJPEG, "jpeg-bits", (2, "bits/pixel", 0.01...100), published(almanac), "the bits per pixel of JPEG"),
        Facts(
            .bitsWebP, "webp-bits", (1.3, "bits/pixel", 0.01...100), published(almanac), "the bits per pixel of WebP"),
        Facts(
            .bitsAVIF, "avif-bits", (1.4, "bits/pixel", 0.01...100), published(almanac), "the bits per pixel of AVIF"),
        Facts(
            .thumbnailPixels, "thumbnail-pixels", (390, "pixels", 1...10_000), unmeasured,
            "the width and height of thumbnails in galleries and search results", apps: [.gallery, .search]),
        Facts(
            .avatarPixels, "avatar-pixels", (120, "pixels", 1...10_000), unmeasured,
            "the width and height of the portraits in a chat", apps: [.chat]),
        Facts(
            .thumbnailSpread, "thumbnail-spread", (0.4, "", 0...3), unmeasured,
            "the spread of the encoded bytes of thumbnails of one size and format", apps: [.gallery, .search, .chat]),
    ]

    private static let apps: [Facts] = [
        Facts(
            .galleryPictures, "gallery-pictures", (2_000, "", 1...1e6), unmeasured,
            "the pictures of a person's gallery at the first visit", apps: [.gallery]),
        Facts(
            .galleryNewPerDay, "gallery-new-per-day", (5, "", 0...1e4), unmeasured,
            "the new pictures of a gallery per day", apps: [.gallery]),
        Facts(
            .searchKeystrokes, "search-keystrokes", (4, "", 1...100), unmeasured,
            "the mean number of keystrokes of a search, each of which changes the results (geometric)",
            apps: [.search]),
        Facts(
            .searchAgain, "search-again", (0.25, "", 0...1),
            published(
                "a quarter of the addresses that 24 people visited in a browser were visited again (Tossell 2012)"),
            "the probability that a search repeats an earlier one", apps: [.search]),
        Facts(
            .searchQueries, "search-queries", (1.5, "", 1...100), unmeasured, "the mean number of searches in a visit",
            apps: [.search]),
        Facts(
            .chatMessages, "chat-messages", (500, "", 10...1e6), unmeasured,
            "the messages of a conversation at the first visit", apps: [.chat]),
        Facts(
            .chatNewPerDay, "chat-new-per-day", (30, "", 0...1e4), unmeasured, "the new messages per day", apps: [.chat]
        ),
        Facts(
            .chatPictureShare, "chat-picture-share", (0.15, "", 0...1), unmeasured,
            "the share of messages that are pictures; the others show the portrait of their writer", apps: [.chat]),
        Facts(
            .chatContacts, "chat-contacts", (8, "", 1...1e4), unmeasured, "the number of people who write",
            apps: [.chat]),
        Facts(
            .prefetchRows, "prefetch-rows", (2, "rows", 0...100), unmeasured,
            "the rows that the app asks for before they appear"),
    ]

    private static let network: [Facts] = [
        Facts(
            .firstByte, "first-byte", (0.151, "s", 0.001...60),
            published("Chrome UX Report, November 2024 (treo.sh/rtt): round trips of mobile visitors"),
            "the median of people's time to the first byte (log-normal)"),
        Facts(
            .firstByteBetweenPeople, "first-byte-between-people", (0.43, "", 0...3),
            published("Chrome UX Report, November 2024 (treo.sh/rtt): spread over domains"),
            "the spread between people of the time to the first byte"),
        Facts(
            .firstByteSpread, "first-byte-spread", (0.35, "", 0...3), unmeasured,
            "the spread of a person's times to the first byte"),
        Facts(
            .rate, "rate", (17.6, "Mbit/s", 0.01...10_000),
            published("mean of mobile downloads in 87 countries (Opensignal 2019)"),
            "the median of people's download rates (log-normal)"),
        Facts(
            .rateBetweenPeople, "rate-between-people", (0.6, "", 0...3), unmeasured,
            "the spread of rates between people"),
        Facts(
            .rateSpread, "rate-spread", (0.4, "", 0...3), unmeasured, "the spread of a person's rates"),
        Facts(
            .stallChance, "stall-chance", (0.02, "", 0...1), unmeasured, "the share of fetches that stall"),
        Facts(
            .stall, "stall", (0.9, "s", 0...60), unmeasured, "the longest additional time of a fetch that stalls"),
        Facts(
            .connections, "connections", (6, "", 1...100),
            published("httpMaximumConnectionsPerHost of URLSession, for HTTP/1.1"), "the connections of the app"),
        Facts(
            .missing, "missing", (0.005, "", 0...1), unmeasured,
            "the share of images that are missing on the server (404)"),
        Facts(
            .serverErrors, "server-errors", (0.005, "", 0...1), unmeasured,
            "the share of fetches that fail with a server error (500)"),
    ]
}
