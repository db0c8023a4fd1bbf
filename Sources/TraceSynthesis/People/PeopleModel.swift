import Basics
import SessionModel

/// Modelled people who use an app on several days. ``Population`` generates their sessions.
///
/// No public data shows how people scroll pictures on phones. Each parameter therefore states how it is known
/// (``PeopleParameter/Facts``), and every figure that follows from modelled people is modelled too.
public struct PeopleModel: Sendable, Equatable {
    /// The version of the model, which headers state. Versions give different sessions for the same seed.
    public static let version = 1

    /// The app that people use.
    public var app = App.feed
    public var people = 1
    /// The number of days, each of 24 hours.
    public var days = 1
    /// The most requests of a person, with which the session ends; nil for all of the days.
    public var requests: Int?
    /// The seed of all random numbers. A person with a number has the same sessions in a population of any size.
    public var seed: UInt64 = 1
    /// The phone of everybody; nil for ``Phone/all`` by the shares of the model.
    public var phone: Phone?
    /// The network of everybody; nil for one per person by the parameters of the model.
    public var network: NetworkProfile?
    private var values = PeopleParameter.all.map(\.value)

    /// Creates a model with the default parameters.
    public init() {}

    public subscript(parameter: PeopleParameter) -> Double {
        get { values[parameter.rawValue] }
        set { values[parameter.rawValue] = newValue }
    }

    /// The parameters that differ from their defaults.
    public var changed: [PeopleParameter] { PeopleParameter.allCases.filter { self[$0] != $0.facts.value } }

    /// The app that people use.
    public enum App: String, Sendable, CaseIterable {
        /// A feed in one column, with other pictures at each visit.
        case feed
        /// A person's own pictures in three columns. Nothing changes but new pictures at the top.
        case gallery
        /// Results of searches, in one column.
        case search
        /// A conversation with portraits and pictures, read from its newest message upwards.
        case chat

        var title: String {
            switch self {
            case .feed: "Feed"
            case .gallery: "Gallery"
            case .search: "Search"
            case .chat: "Chat"
            }
        }

        /// The columns of the list, and the height of a row in points.
        var layout: (columns: Int, rowHeight: Double) {
            switch self {
            case .feed: (1, 480)
            case .gallery: (3, 130)
            case .search: (1, 96)
            case .chat: (1, 96)
            }
        }
    }

    /// Checks that all parameters are in range, that counts are whole, and that each changed parameter has an effect.
    ///
    /// - Throws: ``SynthesisError``, which names the parameter, its value and what is expected.
    public func check() throws {
        for facts in PeopleParameter.all { try facts.check(self[facts.parameter]) }
        try checkEffects()
        guard (1...100_000).contains(people) else {
            throw SynthesisError(description: "people is \(people); expected 1 to 100000")
        }
        guard (1...366).contains(days) else {
            throw SynthesisError(description: "days is \(days); expected 1 to 366")
        }
        guard (1...1_000_000_000).contains(requests ?? 1) else {
            throw SynthesisError(description: "requests is \(requests ?? 0); expected 1 to 1000000000")
        }
        guard self[.jpegShare] + self[.webpShare] <= 1 else {
            throw SynthesisError(
                description: """
                    jpeg-share and webp-share are \(plainText(self[.jpegShare])) and \
                    \(plainText(self[.webpShare])); together, they are at most 1
                    """
            )
        }
    }

    /// Checks that sessions depend on each changed parameter, with the app, the phone and the network of the model.
    private func checkEffects() throws {
        for parameter in changed {
            let facts = parameter.facts
            guard facts.apps.contains(app) else {
                let others = facts.apps.map { "--app \($0.rawValue)" }.joined(separator: " or ")
                throw SynthesisError(
                    description: """
                        \(facts.name) has no effect with --app \(app.rawValue); leave it out, or use \(others)
                        """
                )
            }
            var replacement: String?
            if let network, parameter.describesNetwork { replacement = "--network \(network.name)" }
            if let phone, parameter.isReplaced(by: phone) { replacement = "--device \(phone.name)" }
            if let replacement {
                throw SynthesisError(
                    description: """
                        \(facts.name) has no effect, because \(replacement) holds for all people; leave out \
                        one of the two
                        """
                )
            }
        }
    }
}

/// A phone: the physics of its lists, the size of its screen, and its memory.
public struct Phone: Sendable, Equatable {
    public var name: String
    public var system: FlingPhysics
    /// The width of the screen in points (iOS) or density-independent pixels (Android).
    public var width: Double
    /// The height of the visible part of a list, in the same unit.
    public var height: Double
    /// Whether the system often asks apps to free memory.
    public var hasLittleMemory: Bool

    /// The phones of modelled people: an iPhone and an Android phone, each also with little memory. The sizes are those
    /// of an iPhone 14, an iPhone SE (third generation), a Pixel 7 and a phone of 360 by 800.
    public static let all = [
        Phone(name: "iphone", system: .iOS, width: 390, height: 844, hasLittleMemory: false),
        Phone(name: "iphone-little-memory", system: .iOS, width: 375, height: 667, hasLittleMemory: true),
        Phone(name: "android", system: .android, width: 412, height: 915, hasLittleMemory: false),
        Phone(name: "android-little-memory", system: .android, width: 360, height: 800, hasLittleMemory: true),
    ]
}

/// Generates the sessions of modelled people. Equal models give equal bytes on every machine.
public enum Population {
    /// Returns the session of the person with a number from 0, with all visits.
    ///
    /// - Throws: ``SynthesisError``.
    public static func trace(_ model: PeopleModel, person: Int) throws -> Trace {
        try model.check()
        var session = try PersonSession(model, person: person, sink: TraceSink())
        try session.run()
        return session.screen.recorder.sink.trace
    }

    /// Writes the session of a person in the native format, in pieces as it is generated.
    ///
    /// - Throws: ``SynthesisError``, and errors of `write`.
    public static func writeJSONLines(
        _ model: PeopleModel, person: Int, to write: @escaping ([UInt8]) throws -> Void
    ) throws {
        try model.check()
        var session = try PersonSession(model, person: person, sink: JSONLinesSink(write: write))
        try session.run()
        try session.screen.recorder.withSink { try $0.finish() }
    }

    /// The pseudonym of the person with a number from 0, which is also the name of the person's file.
    public static func name(of person: Int, in model: PeopleModel) -> String { Person(model, number: person).name }
}
