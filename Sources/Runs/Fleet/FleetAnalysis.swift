import Statistics

/// The rows and pairs of one figure.
struct FleetAnalysis {
    private(set) var rows: [FleetStatistics.Row] = []
    private(set) var pairs: [FleetStatistics.Pair] = []

    /// Returns the least users for an interval of a mean. Below them, the interval misses the mean of a population that
    /// is as uneven as one can expect in more than 7 % of the samples; see the page Fleets. Shares are bounded, amounts
    /// are not, and differences of amounts are more uneven than amounts.
    ///
    /// The rule looks at the number of users only: samples that lack a rare large user look even, so a rule that looks
    /// at the values would accept the very samples that miss.
    private func leastUsers(isDifference: Bool) -> Double {
        figure.isShare ? Double(FleetStatistics.leastUsers) : isDifference ? 400 : 200
    }

    private let figure: FleetFigure
    private let relevanceThreshold: Tolerance
    private let table: FleetTable
    private let order: FleetOrder
    /// By cache.
    private let values: [FleetValues]

    init(_ figure: FleetFigure, _ table: FleetTable, _ order: FleetOrder, relevanceThreshold: Tolerance) {
        self.figure = figure
        self.relevanceThreshold = relevanceThreshold
        self.table = table
        self.order = order
        values = table.caches.indices.map { FleetValues(figure, cache: $0, table, order) }
    }

    mutating func run(_ bootstrap: UserBootstrap, _ quantiles: inout QuantileIntervals) {
        let samples = FleetStatistics.Level.allCases.flatMap { level in
            table.caches.indices.compactMap { Sample(level, cache: $0, values[$0], order) }
        }
        let couples = self.couples
        let leastUsers =
            samples.map { _ in self.leastUsers(isDifference: false) }
            + couples.map { _ in self.leastUsers(isDifference: true) }
        let intervals = estimates(samples.map(\.mean) + couples.map(\.mean), leastUsers, bootstrap)
        rows = zip(samples, intervals).map { row($0, $1, &quantiles) }
        pairs = zip(couples, intervals.dropFirst(samples.count)).map(pair)
    }

    // MARK: Distributions

    /// The values of one cache over users or sessions. There is at least one.
    private struct Sample {
        var level: FleetStatistics.Level
        var cache: Int
        /// The values of each user, without users and sessions that have none.
        var users: [ArraySlice<Double>]
        var sorted: [Double]
        var countWithout: Int
        var mean: UserMean

        init?(_ level: FleetStatistics.Level, cache: Int, _ values: FleetValues, _ order: FleetOrder) {
            self.level = level
            self.cache = cache
            let all = level == .users ? values.users : values.sessions
            // One session per user: the values are the same, and so are the rows.
            let perUser = (0..<order.userCount).map { user in
                (level == .users ? user..<user + 1 : order.sessions(of: user)).filter { !all[$0].isNaN }.map { all[$0] }
            }
            users = perUser.filter { !$0.isEmpty }.map { $0[...] }
            sorted = users.joined().sorted()
            countWithout = all.count - sorted.count
            guard !sorted.isEmpty else { return nil }
            mean = UserMean(sums: perUser.map { $0.reduce(0, +) }, counts: perUser.map { Double($0.count) })
        }
    }

    private func row(
        _ sample: Sample, _ mean: Estimate, _ quantiles: inout QuantileIntervals
    ) -> FleetStatistics.Row {
        FleetStatistics.Row(
            cache: table.caches[sample.cache], figure: figure, level: sample.level, count: sample.sorted.count,
            countWithout: sample.countWithout, mean: limited(mean),
            quantiles: FleetStatistics.shares.map { share in
                sample.level == .users
                    ? quantiles.users(share, sample.sorted) : quantiles.sessions(share, sample.users, sample.sorted)
            })
    }

    /// Limits an interval to values that the figure can have.
    private func limited(_ estimate: Estimate) -> Estimate {
        guard let interval = estimate.interval else { return estimate }
        return Estimate(
            estimate.value,
            ConfidenceInterval(
                low: max(0, interval.low), high: figure.isShare ? min(1, interval.high) : interval.high))
    }

    // MARK: Differences

    /// Two caches whose values are compared user by user.
    private struct Couple {
        var first: Int
        var second: Int
        var mean: UserMean
        /// The users who count.
        var users: [Int]
    }

    /// Each cache with each later one over the same network: a difference of networks says nothing about caches.
    private var couples: [Couple] {
        let networks = table.caches.map { table.networks[$0] }
        return networks.indices.flatMap { first in
            networks.indices.dropFirst(first + 1).filter { networks[$0] == networks[first] }
                .compactMap { second in couple(first, second) }
        }
    }

    /// Returns nil without users that have a value of both caches over the same sessions.
    private func couple(_ first: Int, _ second: Int) -> Couple? {
        func isCounted(_ user: Int) -> Bool {
            !values[first].users[user].isNaN && !values[second].users[user].isNaN
                && order.sessions(of: user).allSatisfy { session in
                    let row = order.sessions[session]
                    return table.hasRun(session: row, cache: first) == table.hasRun(session: row, cache: second)
                }
        }
        let users = (0..<order.userCount).filter(isCounted)
        return UserMean(first: values[first].users, second: values[second].users, of: users).map {
            Couple(first: first, second: second, mean: $0, users: users)
        }
    }

    private func pair(_ couple: Couple, _ difference: Estimate) -> FleetStatistics.Pair {
        var (higher, lower) = (0, 0)
        for user in couple.users {
            let first = values[couple.first].users[user]
            let second = values[couple.second].users[user]
            if relevanceThreshold.ties(first, second, figure.unit) { continue }
            if second > first { higher += 1 } else { lower += 1 }
        }
        let count = Double(couple.users.count)
        func share(_ users: Int) -> Double { Double(users) / count }
        var pair = FleetStatistics.Pair(
            first: table.caches[couple.first], second: table.caches[couple.second], figure: figure,
            count: couple.users.count, countWithout: order.userCount - couple.users.count, difference: difference,
            equal: share(couple.users.count - higher - lower))
        switch figure.polarity {
        case .higherIsBetter: (pair.better, pair.worse) = (share(higher), share(lower))
        case .lowerIsBetter: (pair.better, pair.worse) = (share(lower), share(higher))
        case .neutral: break
        }
        return pair
    }

    // MARK: Intervals of means

    private func estimates(
        _ means: [UserMean], _ leastUsers: [Double], _ bootstrap: UserBootstrap
    ) -> [Estimate] {
        let lacks = zip(means, leastUsers).map { mean, least -> Estimate.Lack? in
            if mean.userCount == 1 { return .oneUser }
            if mean.effectiveUsers < least { return .tooFewUsers }
            if mean.standardError == 0 { return .allEqual }
            return bootstrap.resamples < UserBootstrap.leastResamples ? .tooFewResamples : nil
        }
        let wanted = means.indices.filter { lacks[$0] == nil }
        let intervals = Dictionary(uniqueKeysWithValues: zip(wanted, bootstrap.intervals(wanted.map { means[$0] })))
        return means.indices.map { index in
            if let lack = lacks[index] { return Estimate(means[index].mean, lacking: lack) }
            guard let interval = intervals[index] ?? nil else {
                return Estimate(means[index].mean, lacking: .tooFewUsers)
            }
            return Estimate(means[index].mean, interval)
        }
    }
}
