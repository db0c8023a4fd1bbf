import Foundation
import TestSupport

/// Python with SciPy, which `scripts/test --thorough` installs, and the program that computes the reference figures.
enum SciPyReference {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".build/test-python")

    static let isInstalled = FileManager.default.fileExists(atPath: folder.appendingPathComponent("scipy-ready").path)

    /// The figures that are correct: from `low` to `high`, which are equal unless the method is random or rounding
    /// decides.
    struct Figure: Decodable, Sendable {
        var low: Double
        var high: Double
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Returns, for each case, the reference of each of its figures; nil where there is none. One process computes all.
    static func figures(
        of cases: [SciPyCase], python: URL = folder.appendingPathComponent("bin/python")
    ) throws -> [[Figure?]] {
        let scratch = try TemporaryFolder()
        try JSONEncoder().encode(cases).write(to: scratch.url("cases.json"))
        try scratch.file("reference.py", program)
        // A file, not a pipe: nothing to drain, however much is printed.
        let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("errors.txt", "")))
        let process = Process()
        process.executableURL = python
        process.arguments = ["reference.py", "cases.json", "figures.json"]
        process.currentDirectoryURL = URL(fileURLWithPath: scratch.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = errors
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "The program with SciPy ends with an error:\n\(try scratch.text("errors.txt"))")
        }
        return try JSONDecoder().decode([[Figure?]].self, from: Data(scratch.bytes("figures.json")))
    }

    /// Reads the cases from the first file, and writes the reference figures of each into the second one.
    ///
    /// Each function has the name of a ``SciPyFunction``, and the inputs of the case as arguments. It returns a list of
    /// numbers, of pairs of the least and the largest correct number, or of None.
    private static let program = #"""
        import json, math, sys, warnings
        from fractions import Fraction
        import numpy as np
        from scipy import optimize, special, stats

        warnings.simplefilter("error", RuntimeWarning)


        def median(values):
            return [np.median(values)] * 2

        def quantile(values, shares):
            return np.quantile(values, shares, method="linear")

        def valueAtRank(values, ranks):
            return np.interp(ranks, np.arange(1, len(values) + 1), values)

        def incompleteBeta(x, a, b):
            return special.betainc(a, b, x)

        def logGamma(x):
            return special.gammaln(x)

        def upperTail(z):
            return stats.norm.sf(z)

        def studentQuantile(degrees):
            return stats.t.isf(0.025, degrees)

        def normalQuantile(probabilities):
            return stats.norm.isf(probabilities)


        def low_rank(share, size):
            def excess(rank):
                return special.betainc(rank, size + 1 - rank, share) - 0.975
            if size < 1 or excess(1) < 0:
                return None
            return optimize.brentq(excess, 1, size, xtol=1e-12, rtol=1e-14) if excess(size) < 0 else size

        def quantile_ranks(share, size):
            low, mirrored = low_rank(share, size), low_rank(1 - share, size)
            return None if low is None or mirrored is None else (low, size + 1 - mirrored)

        def quantileRanks(share, size):
            return quantile_ranks(share[0], size[0]) or [None, None]

        # The numbers of the cases of Estimate.Lack.
        ONE_USER, TOO_FEW_USERS = 0, 1

        def estimate(values, share, ranks, scale=1):
            value = np.quantile(values, share)
            if ranks is None:
                return [value, None, None, TOO_FEW_USERS]
            return [value, *valueAtRank(values, np.array(ranks) * scale), None]

        def users(values, share):
            if len(values) == 1:
                return [values[0], None, None, ONE_USER]
            return estimate(values, share[0], quantile_ranks(share[0], len(values)))

        def sessions(values, owners, share):
            share, values, owners = share[0], np.array(values), np.array(owners, int)
            ordered = np.sort(values)
            own = np.bincount(owners)
            own_count, count = len(own), len(values)
            if own_count == count:
                return users(ordered, [share])
            value = np.quantile(values, share)
            if own_count == 1:
                return [value, None, None, ONE_USER]
            if count**2 / np.sum(own**2) * min(share, 1 - share) < 15:
                return [value, None, None, TOO_FEW_USERS]
            # Linearised variance of a ratio of totals, between users.
            below = values <= value
            ratio = below.mean()
            residuals = np.bincount(owners, below - ratio)
            variance = own_count * np.var(residuals, ddof=1) / count**2 if own_count > 1 else 0
            # The mean of the residuals is 0 up to rounding.
            single = ratio * (1 - ratio) / count
            design = max(1, variance / single) if single > 0 else np.sum(own**2) / count
            z = stats.norm.isf(0.025)
            student = 1 + round((z**2 + 1) / 4, 4) / (own_count - 1)
            size = count / (design * student**2)
            return estimate(ordered, share, quantile_ranks(share, size), (count + 1) / (size + 1))


        def holm(probabilities):
            order = np.argsort(probabilities)
            factors = np.arange(len(order), 0, -1)
            corrected = np.empty(len(order))
            corrected[order] = np.maximum.accumulate(np.minimum(1, np.array(probabilities)[order] * factors))
            return corrected

        def wilson(counts, totals):
            ends = []
            for count, total in zip(counts, totals):
                if total == 0:
                    ends += [0, 1]
                elif count == int(count):
                    interval = stats.binomtest(int(count), int(total)).proportion_ci(method="wilson")
                    ends += [interval.low, interval.high]
                else:
                    # The ends are the shares p at which the observed share is z standard errors away.
                    z2, share = stats.norm.isf(0.025) ** 2, count / total
                    ends += sorted(np.roots([1 + z2 / total, -2 * share - z2 / total, share * share]).real)
            return ends


        def rankUnequal(first, second):
            return [
                stats.mannwhitneyu(second, first, alternative=side, method="exact").pvalue
                for side in ["greater", "less"]
            ]

        def rankEqual(first, second):
            # Counts choices by groups of equal values: a group of t values gives k of them in comb(t, k) ways.
            pooled = np.concatenate([second, first])
            ranks = stats.rankdata(pooled) * 2
            ways = {(0, 0): 1}
            for rank, count in zip(*np.unique(ranks, return_counts=True)):
                more = {}
                for (taken, total), number in ways.items():
                    for own in range(min(int(count), len(second) - taken) + 1):
                        key = taken + own, total + own * int(rank)
                        more[key] = more.get(key, 0) + number * math.comb(int(count), own)
                ways = more
            seen = int(ranks[:len(second)].sum())
            sums = {total: number for (taken, total), number in ways.items() if taken == len(second)}
            every = sum(sums.values())
            assert every == math.comb(len(pooled), len(second))
            expected = [
                sum(number for total, number in sums.items() if total >= seen) / every,
                sum(number for total, number in sums.items() if total <= seen) / every,
            ]
            if every <= 20_000 and min(len(first), len(second)) >= 2:
                for side, probability in zip(["greater", "less"], expected):
                    test = stats.permutation_test(
                        (ranks[:len(second)], ranks[len(second):]), lambda x, y, axis: x.sum(axis), vectorized=True,
                        n_resamples=np.inf, alternative=side)
                    assert math.isclose(test.pvalue, probability, rel_tol=1e-12)
            return expected

        def rankApproximate(first, second):
            if len(set(first) | set(second)) == 1:
                return [1, 1]  # SciPy has no variance to divide by.
            return [
                stats.mannwhitneyu(second, first, alternative=side, method="asymptotic", use_continuity=True).pvalue
                for side in ["greater", "less"]
            ]

        def smallestProbability(first, second):
            return [1 / special.comb(first[0] + second[0], second[0], exact=False)]


        def drawn_medians(values):
            # Returns the values and the exact probabilities of the medians of all draws.
            n = len(values)
            half = (n + 1) // 2
            if n % 2 == 1:
                # The probability that at least `half` draws are among the lowest i values.
                below = stats.binom.sf(half - 1, n, np.arange(n + 1) / n)
                return np.array(values), np.diff(below)
            # The probability that exactly `half` draws are among the lowest i, and the others above the lowest j.
            def apart(i, j):
                return math.comb(n, half) * Fraction(i, n)**half * Fraction(n - j, n)**half
            def at_least(i):
                share = Fraction(i, n)
                return sum(math.comb(n, k) * share**k * (1 - share)**(n - k) for k in range(half, n + 1))
            medians, probabilities = [], []
            for i in range(1, n + 1):
                rest = at_least(i) - at_least(i - 1)
                for j in range(i + 1, n + 1):
                    own = apart(i, j - 1) - apart(i - 1, j - 1) - apart(i, j) + apart(i - 1, j)
                    rest -= own
                    medians.append((values[i - 1] + values[j - 1]) / 2)
                    probabilities.append(float(own))
                medians.append(values[i - 1])
                probabilities.append(float(rest))
            return np.array(medians), np.array(probabilities)

        def drawnMedians(values):
            medians, probabilities = drawn_medians(values)
            order = np.argsort(medians)
            order = order[probabilities[order] > 1e-7]
            return [*medians[order], *probabilities[order]]

        def median_interval(first, second, slack):
            (one, ones), (other, others) = drawn_medians(first), drawn_medians(second)
            differences = (other[:, None] - one[None, :]).ravel()
            order = np.argsort(differences)
            differences = differences[order]
            sums = np.cumsum((others[:, None] * ones[None, :]).ravel()[order])
            def at(share):
                return differences[min(np.searchsorted(sums, share), len(sums) - 1)]
            return [(at(0.025 - slack), at(0.025 + slack)), (at(0.975 - slack), at(0.975 + slack))]

        def medianDifference(first, second):
            # Medians with a probability of less than 1e-7, of which a sample has at most 210, are left out.
            return median_interval(first, second, 5e-5)

        def medianDifferenceDrawn(first, second):
            # Five standard deviations of the share of 5,000 draws that are below a point.
            return median_interval(first, second, 5 * math.sqrt(0.025 * 0.975 / 5_000))


        def mean_parts(sums, counts):
            sums, counts = np.array(sums), np.array(counts)
            count = math.fsum(counts)
            mean = math.fsum(sums) / count
            error = math.sqrt(math.fsum((sums - mean * counts) ** 2)) / count
            return mean, count, error if error > 1e-13 * abs(mean) else 0

        def userMean(sums, counts):
            mean, count, error = mean_parts(sums, counts)
            return [mean, count, np.count_nonzero(counts), count**2 / math.fsum(np.square(counts)), error]

        def paired(first, second, users):
            counts = np.zeros(len(first))
            counts[np.array(users, int)] = 1
            return (np.array(second) - first) * counts, counts

        def userMeanDifference(first, second, users):
            return userMean(*paired(first, second, users))

        def splitmix(states):
            z = states
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return z ^ (z >> np.uint64(31))

        def stream(seeds, count):
            steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            return splitmix(np.asarray(seeds, np.uint64)[..., None] + steps)

        def bootstrap(sums, counts, resamples, seed):
            # Each resample as the list of its users.
            n, resamples = len(sums), int(resamples[0])
            if resamples < 39:
                return [None, None]
            sums, counts = np.array(sums), np.array(counts)
            mean, _, error = mean_parts(sums, counts)
            draws = (stream(stream(np.uint64(seed[0]), resamples), n) >> np.uint64(32)) * np.uint64(n)
            drawn = (draws >> np.uint64(32)).astype(int)
            own_count = counts[drawn].sum(axis=1)
            has = own_count > 0
            # The residuals keep more digits than the sums.
            residuals = (sums - mean * counts)[drawn]
            change = residuals.sum(axis=1) / np.where(has, own_count, 1)
            rest = residuals - change[:, None] * counts[drawn]
            own_error = np.sqrt((rest ** 2).sum(axis=1)) / np.where(has, own_count, 1)
            varies = own_error > 1e-6 * error
            studentised = np.where(
                varies, change / np.where(varies, own_error, 1),
                np.where(np.abs(change) > 1e-9 * error, np.copysign(np.inf, change), 0))
            studentised = np.sort(np.where(has, studentised, np.inf))
            rank = (resamples + 1) // 40
            low, high = studentised[rank - 1], studentised[-rank]
            if not (np.isfinite(low) and np.isfinite(high)):
                return [None, None]
            return [mean - high * error, mean - low * error]

        def bootstrapDifference(first, second, users, resamples, seed):
            return bootstrap(*paired(first, second, users), resamples, seed)


        def leastSquares(amounts, times):
            rows = np.array(amounts).reshape(len(times), -1) / np.array(times)[:, None]
            scales = rows.max(axis=0)
            scales[scales == 0] = 1
            factors, norm = optimize.nnls(rows / scales, np.ones(len(times)))
            return [*(factors / scales), 1 + norm]

        def leastSquaresError(amounts, times):
            return leastSquares(amounts, times)[-1:]


        def figure(result):
            if result is None:
                return None
            low, high = result if isinstance(result, tuple) else (result, result)
            return {"low": float(low), "high": float(high)}

        with open(sys.argv[1]) as file:
            cases = json.load(file)
        with np.errstate(over="ignore"):
            figures = [[figure(one) for one in globals()[case["function"]](*case["inputs"])] for case in cases]
        with open(sys.argv[2], "w") as file:
            json.dump(figures, file, allow_nan=False)
        """#
}
