/// The users of a fleet with their values of one figure.
package struct FleetUsers: Sendable {
    package struct User: Sendable {
        /// The name that stands for the user, or the name of the session if it alone tells the user.
        package var name: String
        /// The names of the user's sessions, in order.
        package var sessions: [String]
        /// By cache; NaN for a cache without a value.
        package var values: [Double]
    }

    package let figure: FleetFigure
    package let caches: [String]
    package let users: [User]

    package init(_ table: FleetTable, _ figure: FleetFigure) {
        let order = FleetOrder(table)
        let values = table.caches.indices.map { FleetValues(figure, cache: $0, table, order).users }
        self.figure = figure
        caches = table.caches
        users = (0..<order.userCount).map { user in
            let sessions = order.sessions(of: user).map { table.sessions[order.sessions[$0]] }
            let number = sessions[0].user
            return User(
                name: number < 0 ? sessions[0].name : table.users[Int(number)], sessions: sessions.map(\.name),
                values: values.map { $0[user] })
        }
    }

    /// Returns the values of a cache in rising order, without users that have none.
    package func sorted(cache: Int) -> [Double] { users.map { $0.values[cache] }.filter { !$0.isNaN }.sorted() }

    /// Returns the users for whom a cache is worst: the highest values, or the lowest ones if higher is better.
    package func worst(cache: Int) -> [User] {
        let sign: Double = figure.polarity == .higherIsBetter ? 1 : -1
        return users.filter { !$0.values[cache].isNaN }.stableSorted {
            sign * $0.values[cache] < sign * $1.values[cache]
        }
    }

    /// A user for whom another cache is better than one that is given to all.
    package struct Loss: Sendable {
        package var user: User
        /// The best cache of this user.
        package var best: Int
        /// How much worse the given cache is; positive.
        package var amount: Double
    }

    /// Returns the users for whom a cache other than the given one is better, those who lose most first.
    ///
    /// A difference within the tolerance is none.
    package func losses(with cache: Int, _ relevanceThreshold: Tolerance = .standard) -> [Loss] {
        let sign: Double = figure.polarity == .higherIsBetter ? -1 : 1
        return users.compactMap { user -> Loss? in
            let own = user.values[cache]
            let others = caches.indices.filter { !user.values[$0].isNaN }
            guard !own.isNaN, let best = others.min(by: { sign * user.values[$0] < sign * user.values[$1] }) else {
                return nil
            }
            let amount = sign * (own - user.values[best])
            let isTie = relevanceThreshold.ties(own, user.values[best], figure.unit)
            return amount > 0 && !isTie ? Loss(user: user, best: best, amount: amount) : nil
        }.stableSorted { $0.amount > $1.amount }
    }
}

/// The users of a table with their sessions: users by the names of their first sessions, and a user's sessions by name.
///
/// The order depends neither on the order in which runs were added nor on the names of users, so that intervals are
/// equal after `trace anonymize`, which changes those names. Sessions of different users that have one name are in the
/// order of their figures.
package struct FleetOrder: Sendable {
    /// Rows of the table, the sessions of a user side by side.
    package let sessions: [Int]
    /// The place in `sessions` at which each user begins, and the number of sessions at the end.
    let starts: [Int]

    package init(_ table: FleetTable) {
        let rows = table.sessions.indices.sorted { Self.precedes($0, $1, table) }
        // A session without a user is a user of its own, with a number below the numbers of users.
        var places: [Int: Int] = [:]
        var sessionsOfUsers: [[Int]] = []
        for row in rows {
            let user = table.sessions[row].user
            let key = user < 0 ? -1 - row : Int(user)
            if let place = places[key] {
                sessionsOfUsers[place].append(row)
            } else {
                places[key] = sessionsOfUsers.count
                sessionsOfUsers.append([row])
            }
        }
        sessions = sessionsOfUsers.flatMap(\.self)
        starts = sessionsOfUsers.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    }

    private static func precedes(_ first: Int, _ second: Int, _ table: FleetTable) -> Bool {
        let (one, other) = (table.sessions[first], table.sessions[second])
        guard one.name == other.name else { return one.name < other.name }
        for cache in table.caches.indices {
            for measure in FleetMeasure.allCases {
                let value = table.value(measure, session: first, cache: cache) ?? -.infinity
                let otherValue = table.value(measure, session: second, cache: cache) ?? -.infinity
                if value != otherValue { return value < otherValue }
            }
        }
        // All figures are equal, so that the order of names has no effect on an interval.
        func name(_ session: FleetTable.Session) -> String { session.user < 0 ? "" : table.users[Int(session.user)] }
        return name(one) < name(other)
    }

    var userCount: Int { starts.count - 1 }

    package func sessions(of user: Int) -> Range<Int> { starts[user]..<starts[user + 1] }

    var hasOneSessionPerUser: Bool { userCount == sessions.count }
}

/// One figure of one cache: its value for each session and for each user. Values are NaN where there is none.
package struct FleetValues: Sendable {
    /// In the order of ``FleetOrder/sessions``.
    package private(set) var sessions: [Double]
    private(set) var users: [Double]

    package init(_ figure: FleetFigure, cache: Int, _ table: FleetTable, _ order: FleetOrder) {
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
