import CBuildCommit

extension CacheReplay {
    /// The version of the program, which results name. No other place states it: packages ask the program.
    public static let version = "0.1.0"

    /// The commit that the program is built from, or nil if the build did not name one.
    ///
    /// `scripts/package` names it in the environment of the build, as `CACHEREPLAY_COMMIT`. A file that changes with
    /// each commit would have every build compile and link again.
    public static let commit: String? = cachereplay_build_commit().map { String(cString: $0) }

    /// The output of `--version`, for example `1.2.3 (1a2b3c4d5e)`.
    static let versionWithCommit = "\(version) (\(commit ?? "development"))"
}
