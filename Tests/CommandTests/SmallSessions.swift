import CacheTraces
import SessionModel
import TraceSynthesis

/// Sessions of modelled people with a few requests each.
enum SmallSessions {
    /// Writes the session of a person, a visit of some minutes, in which no fetch fails. Its header names no user, so
    /// that each file is a user of its own.
    static func write(requests: Int, person: Int, app: PeopleModel.App = .feed, to path: String) throws {
        var model = PeopleModel()
        model.app = app
        model.requests = requests
        // One visit has all requests.
        model[.visitLength] = 80_000
        model[.visitSpread] = 0
        model[.absences] = 0
        model[.pictureBytes] = 340_000
        model[.pictureSpread] = 0.5
        model[.largestPicture] = 2
        model[.missing] = 0
        model[.serverErrors] = 0
        var trace = try Population.trace(model, person: person)
        trace.header.user = nil
        _ = try trace.write(to: path, format: .jsonLines)
    }
}
