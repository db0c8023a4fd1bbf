/// The smallest difference that counts, as a share of the baseline.
public enum SmallestEffect {
    /// A tenth of a percent, for figures that do not differ by chance.
    public static let share = 0.001
    /// Two percent, for measured figures.
    public static let measuredShare = 0.02
    /// Five percent, for measured figures of a single run, whose noise is unknown.
    static let singleRunShare = 0.05
}
