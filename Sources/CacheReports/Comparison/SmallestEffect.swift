/// The smallest difference that counts.
public enum SmallestEffect {
    /// A share of the smaller figure: a tenth of a percent.
    public static let share = 0.001
}
