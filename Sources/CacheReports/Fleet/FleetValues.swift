/// The users of a table with their sessions, in an order that does not depend on the order in which runs were added:
/// users by name, those of one session by the session's name, and a user's sessions by name.
struct FleetOrder: Sendable {
    /// Rows of the table, the sessions of a user side by side.
    let sessions: [Int]
    /// The place in `sessions` at which each user begins, and the number of sessions at the end.
    let starts: [Int]

    init(_ table: FleetTable) {
        func key(_ row: Int) -> (Int, String, String) {
            let session = table.sessions[row]
            return session.user < 0
                ? (1, session.name, "") : (0, table.users[Int(session.user)], session.name)
        }
        sessions = table.sessions.indices.map { (key: key($0), row: $0) }.sorted { $0.key < $1.key }.map(\.row)
        var starts: [Int] = []
        for (place, row) in sessions.enumerated() {
            let user = table.sessions[row].user
            if place == 0 || user < 0 || user != table.sessions[sessions[place - 1]].user { starts.append(place) }
        }
        self.starts = starts + [sessions.count]
    }

    var userCount: Int { starts.count - 1 }

    /// Returns the sessions of a user, as places in `sessions`.
    func sessions(of user: Int) -> Range<Int> { starts[user]..<starts[user + 1] }

    var hasOneSessionPerUser: Bool { userCount == sessions.count }
}

/// One figure of one cache: its value for each session and for each user. Values are NaN where there is none.
struct FleetValues: Sendable {
    /// In the order of ``FleetOrder/sessions``.
    private(set) var sessions: [Double]
    private(set) var users: [Double]

    init(_ figure: FleetFigure, cache: Int, _ table: FleetTable, _ order: FleetOrder) {
        func value(_ measure: FleetMeasure, _ row: Int) -> Double? {
            table.value(measure, session: row, cache: cache)
        }
        switch figure.pooling {
        case .share(let whole):
            let parts = order.sessions.map { value(figure.measure, $0) ?? 0 }
            let wholes = order.sessions.map { value(whole, $0) ?? 0 }
            func share(_ part: Double, _ whole: Double) -> Double { whole > 0 ? part / whole : .nan }
            sessions = zip(parts, wholes).map(share)
            users = (0..<order.userCount).map { user in
                let own = order.sessions(of: user)
                return share(parts[own].reduce(0, +), wholes[own].reduce(0, +))
            }
        case .meanPerSession, .largest:
            let values = order.sessions.map { value(figure.measure, $0) ?? .nan }
            let isMean = if case .meanPerSession = figure.pooling { true } else { false }
            sessions = values
            users = (0..<order.userCount).map { user in
                let own = values[order.sessions(of: user)].filter { !$0.isNaN }
                guard let largest = own.max() else { return .nan }
                return isMean ? own.reduce(0, +) / Double(own.count) : largest
            }
        }
    }
}
