/// The users of a fleet with their values of one figure.
struct FleetUsers: Sendable {
    struct User: Sendable {
        /// The name that stands for the user, or that of the session of a user who is known by it alone.
        var name: String
        /// The names of the user's sessions, in order.
        var sessions: [String]
        /// By cache; NaN for a cache without a value.
        var values: [Double]
    }

    let figure: FleetFigure
    let caches: [String]
    let users: [User]

    init(_ table: FleetTable, _ figure: FleetFigure) {
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
    func sorted(cache: Int) -> [Double] { users.map { $0.values[cache] }.filter { !$0.isNaN }.sorted() }

    /// Returns the users for whom a cache is worst: the highest values, or the lowest ones if higher is better.
    func worst(cache: Int) -> [User] {
        let sign: Double = figure.polarity == .higherIsBetter ? 1 : -1
        return users.filter { !$0.values[cache].isNaN }.stableSorted {
            sign * $0.values[cache] < sign * $1.values[cache]
        }
    }

    /// A user for whom another cache is better than one that is given to all.
    struct Loss: Sendable {
        var user: User
        /// The best cache of this user.
        var best: Int
        /// How much worse the given cache is; positive.
        var amount: Double
    }

    /// Returns the users for whom a cache other than the given one is better, those who lose most first.
    ///
    /// A difference within ``Tolerance`` is none.
    func losses(with cache: Int) -> [Loss] {
        let sign: Double = figure.polarity == .higherIsBetter ? -1 : 1
        return users.compactMap { user -> Loss? in
            let own = user.values[cache]
            let others = caches.indices.filter { !user.values[$0].isNaN }
            guard !own.isNaN, let best = others.min(by: { sign * user.values[$0] < sign * user.values[$1] }) else {
                return nil
            }
            let amount = sign * (own - user.values[best])
            let isTie = Tolerance.ties(own, user.values[best], figure.unit)
            return amount > 0 && !isTie ? Loss(user: user, best: best, amount: amount) : nil
        }.stableSorted { $0.amount > $1.amount }
    }
}
