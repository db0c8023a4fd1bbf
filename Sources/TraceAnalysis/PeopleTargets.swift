import Foundation

/// A figure of people that sessions are compared with.
public struct PeopleTarget: Sendable {
    /// The observed behaviour of people: quantiles, or one number.
    public enum Value: Sendable {
        /// Pairs of a share from 0 to 1 and the value that this share of the observations does not exceed, ascending.
        case quantiles([(share: Double, value: Double)])
        case number(Double)
        /// A range in which the number is expected.
        case range(ClosedRange<Double>)
    }

    public let name: String
    public let unit: String
    public let value: Value
    /// How the figure is known: observed, published, or derived from a model.
    public let certainty: String
    public let source: String
    /// Why modelled people differ from the figure, or have no value; nil if they must agree with it.
    public let reason: String?
    /// Whether the figure is about feeds alone: ``SessionHabits/isOfFeed``.
    private(set) var isOfFeeds = false
    /// Whether modelled people have a value.
    private(set) var isModelled = true
    /// The figures of a session or of several.
    let measure: @Sendable ([SessionHabits]) -> [Double]

    init(
        _ name: String, _ unit: String, _ value: Value, _ known: (certainty: String, source: String),
        except reason: String? = nil, _ measure: @escaping @Sendable ([SessionHabits]) -> [Double]
    ) {
        self.name = name
        self.unit = unit
        self.value = value
        certainty = known.certainty
        source = known.source
        self.reason = reason
        self.measure = measure
    }
}

extension PeopleTarget {
    private static let readers = ("observed", "598 readers of text, mostly with a mouse wheel (readability_scroll)")
    private static let news = ("observed", "44 readers of a news site in 21 days (EB-NeRD)")
    private static let flings = ("observed", "test flings of Flutter and Android")
    private static let almanac = ("published", "HTTP Archive, Web Almanac 2024, largest image of a page")
    private static let model = ("derived", "simulation of the model, not of observed people")
    private static let text = "text read with a mouse wheel; a feed of pictures has other lengths"
    private static let articles = "articles of a newspaper; how many pictures people open is not known"

    private static func quantiles(_ values: [(Double, Double)]) -> Value {
        .quantiles(values.map { (share: $0.0 / 100, value: $0.1) })
    }

    /// All figures, in the order of the table of `trace people`.
    public static let all: [PeopleTarget] = visits + feed + scrolling + fingers + pictures

    /// The figures of feeds, marked as such.
    private static let feed = feedFigures.map { figure in
        var figure = figure
        figure.isOfFeeds = true
        return figure
    }

    private static let visits: [PeopleTarget] = [
        PeopleTarget(
            "length of a visit", "s",
            quantiles([
                (5, 12.7), (10, 16), (25, 42), (50, 106), (75, 280.5), (90, 517.8), (95, 813), (99, 1_399),
            ]), news
        ) { $0.flatMap(\.visits) },
        PeopleTarget(
            "time between visits", "h",
            quantiles([
                (5, 0.6854), (10, 0.8479), (25, 1.475), (50, 3.439), (75, 9.444), (90, 20.41), (95, 27.77),
                (99, 99.78),
            ]), news
        ) { $0.flatMap(\.gaps) },
        PeopleTarget(
            "visits on a day with a visit", "",
            quantiles([(25, 1), (50, 3), (75, 5), (90, 7), (95, 8), (99, 11)]), news
        ) { $0.flatMap(\.visitsPerDay) },
        PeopleTarget(
            "opened pictures of a visit with any", "",
            quantiles([(10, 1), (25, 2), (50, 3), (75, 5), (90, 8), (95, 11)]), news, except: articles
        ) { $0.flatMap(\.openings) },
        PeopleTarget("opened pictures that had been opened", "share", .number(0.1399), news, except: articles) {
            ratio($0, { $0.reopenings }, { $0.openings.reduce(0, +) })
        },
    ]

    private static let feedFigures: [PeopleTarget] = [
        PeopleTarget(
            "seconds per item of a feed", "s", .number(1.7), ("published", "Facebook IQ 2016, quoted by others")
        ) {
            ratio($0, { $0.foreground }, { Double($0.appearances) })
        },
        known("known pictures on return, up to 10 min", 0.459, 0..<1.0 / 6),
        known(
            "known pictures on return, 10 to 30 min", 0.433, 1.0 / 6..<0.5,
            "visits are at least half an hour apart, and absences are shorter"),
        known("known pictures on return, 0.5 to 3 h", 0.18, 0.5..<3),
        known("known pictures on return, 3 to 12 h", 0.035, 3..<12),
        known("known pictures on return, 12 to 36 h", 0.012, 12..<36),
    ]

    /// - Parameter reason: Why modelled people have no such returns; nil if they have.
    private static func known(
        _ name: String, _ share: Double, _ hours: Range<Double>, _ reason: String? = nil
    ) -> PeopleTarget {
        var target = PeopleTarget(name, "share", .number(share), news, except: reason) { habits in
            let shares = habits.flatMap(\.returns).filter { hours.contains($0.hours) }.map(\.share)
            return shares.isEmpty ? [] : [shares.reduce(0, +) / Double(shares.count)]
        }
        target.isModelled = reason == nil
        return target
    }

    private static let scrolling: [PeopleTarget] = [
        PeopleTarget("share of time moving", "share", .range(0.137...0.486), model) {
            ratio($0, { $0.moving }, { $0.foreground })
        },
        PeopleTarget("screens per minute", "1/min", .range(12.7...33), model) {
            ratio($0, { $0.travelled / SessionHabits.screen }, { $0.foreground / 60 })
        },
        PeopleTarget("scrolls that go back", "share", .range(0.17...0.30), readers) {
            ratio($0, { Double($0.scrolls.count { $0 < 0 }) }, { Double($0.scrolls.count) })
        },
        PeopleTarget("travel over known ground", "share", .range(0.35...0.50), readers) {
            ratio($0, { $0.retravelled }, { $0.travelled })
        },
        PeopleTarget(
            "travel that goes back", "share", .number(0.332), readers,
            except: """
                bursts of reading that go back are three times as long as others; in the model they are 1.5 times as \
                long, as those of readers who look something up
                """
        ) { ratio($0, { -$0.scrolls.reduce(0) { $0 + min(0, $1) } }, { $0.scrolls.reduce(0) { $0 + abs($1) } }) },
        PeopleTarget(
            "spread of the logarithm of pauses", "", .number(1.114), readers,
            except: "the pause of the model begins at the release, the observed one at rest"
        ) { habits in
            let logs = habits.flatMap(\.pauses).map { log($0) }
            return logs.count < 2 ? [] : [deviation(logs)]
        },
        PeopleTarget(
            "burstiness of scrolls", "", .number(0.273), readers,
            except: """
                readers of text make many short scrolls, one soon after the other; modelled people make fewer and \
                longer ones
                """
        ) { habits in
            let all = habits.map(\.intervals).filter { $0.count >= 8 }.map(burstiness).sorted()
            return all.isEmpty ? [] : [all[all.count / 2]]
        },
        PeopleTarget(
            "autocorrelation of times between scrolls", "",
            quantiles([
                (5, -0.3929), (10, -0.3142), (25, -0.1971), (50, -0.0695), (75, 0.08136), (90, 0.2366), (95, 0.3413),
            ]), readers,
            except: """
                the pauses of the model are independent, as those of readers who look something up; those of reading \
                alternate a little
                """
        ) { $0.flatMap(\.autocorrelations) },
        PeopleTarget(
            "pause", "s",
            quantiles([(5, 1.102), (10, 1.22), (25, 1.837), (50, 4.116), (75, 11.15), (90, 28.03), (95, 46.96)]),
            readers,
            except: text
        ) { $0.flatMap(\.pauses) },
        PeopleTarget(
            "distance of a scroll", "screens",
            quantiles([(10, 0.0369), (25, 0.1318), (50, 0.2707), (75, 0.703), (90, 1.054), (95, 1.406)]), readers,
            except: text
        ) { $0.flatMap { $0.scrolls.map { abs($0) / SessionHabits.screen } } },
    ]

    private static let fingers: [PeopleTarget] = [
        PeopleTarget(
            "speed at the release", "points/s",
            quantiles([(5, 955.4), (10, 1_044), (25, 1_408), (50, 1_877), (75, 2_910), (90, 3_694), (95, 3_856)]),
            flings,
            except: "a twenty-fifth of the model's flings is hard, and a list that still moves adds its speed"
        ) { $0.flatMap(\.releases) },
        PeopleTarget(
            "drag before a release", "s",
            quantiles([(5, 0.1044), (10, 0.108), (25, 0.1132), (50, 0.119), (75, 0.1538), (90, 0.2265), (95, 0.4952)]),
            flings, except: "12 drags of one tester, whose quantiles are not log-normal"
        ) { $0.flatMap(\.drags) },
    ]

    private static let pictures: [PeopleTarget] = [
        PeopleTarget(
            "bytes of a picture", "bytes",
            quantiles([(10, 6_000), (25, 37_000), (50, 135_000), (75, 404_000), (90, 1_002_000)]), almanac
        ) { $0.flatMap(\.bytes) },
        PeopleTarget(
            "pixels of a picture", "megapixels",
            quantiles([(10, 0.02), (25, 0.14), (50, 0.54), (75, 1.28), (90, 3.13)]), almanac
        ) { $0.flatMap(\.megapixels) },
        PeopleTarget(
            "time to the first byte, by person", "ms",
            quantiles([(10, 100), (25, 116), (50, 151), (75, 207), (90, 267)]),
            ("published", "Chrome UX Report, November 2024, mobile visitors by domain (treo.sh/rtt)")
        ) { habits in
            habits.map(\.firstBytes).filter { !$0.isEmpty }.map { times in
                let sorted = times.sorted()
                return sorted[sorted.count / 2]
            }
        },
    ]

    /// Figures of people that sessions are not compared with, each with the reason.
    public static let notCompared: [(name: String, reason: String)] = [
        (
            "seconds for which an item is in view",
            "known of short videos only, which are shown one at a time and end by themselves"
        ),
        ("times between scrolls below 1 s", "they depend on how a recorder joins movements to scrolls"),
        ("bursts of scrolls", "a burst is what lies between two pauses; the pauses and the scrolls are compared"),
        (
            "direction after a scroll",
            "known of scrolls of text, several of which are one movement of a finger"
        ),
        ("readers who look something up", "they are the readers whose reading is compared"),
        ("screens per minute of readers", "text is read, a feed is looked over"),
        ("visits to all apps of a phone", "only their median, 106 s, and their mean are published"),
        (
            "all images of web pages",
            "they include icons and single pixels; the largest image of each page stands for pictures"
        ),
        (
            "rates of measured links",
            "a session has transfers, and not what the link could carry; replay --network reads measured links"
        ),
    ]

    /// The standard deviation of at least two values.
    private static func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)).squareRoot()
    }

    /// (σ − μ) / (σ + μ): 0 for a Poisson process, −1 for a clock (K. Goh, A. Barabási, 2008).
    private static func burstiness(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        let spread = deviation(values)
        return spread + mean > 0 ? (spread - mean) / (spread + mean) : 0
    }

    private static func ratio(
        _ habits: [SessionHabits], _ part: (SessionHabits) -> Double, _ whole: (SessionHabits) -> Double
    ) -> [Double] {
        let total = habits.reduce(0) { $0 + whole($1) }
        return total > 0 ? [habits.reduce(0) { $0 + part($1) } / total] : []
    }
}

extension SessionHabits {
    /// The points of a screen, by which distances are compared.
    static let screen = 844.0

    /// The seconds of pauses: times of at least 1 s between the ends of scrolls.
    public var pauses: [Double] { intervals.filter { $0 >= 1 } }
}
