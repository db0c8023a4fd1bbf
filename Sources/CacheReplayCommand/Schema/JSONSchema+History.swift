import CacheReports

extension JSONSchema {
    // MARK: The output of `history page --json`

    static var history: Value {
        let change = record(
            [
                "commit": string("The commit with which the figure changed, as the history names it."),
                "time": string("The time of the commit in the history."),
                "trace": string, "cache": string, "metric": string("A metric of summary.csv."),
                "before": number("The median of the figures before the commit."),
                "after": number("The median from the commit on."),
                "direction": words(["better", "worse"], "Whether the figure is better or worse with the commit."),
            ],
            optional: [
                "id": string("The whole id of the commit in the git repository of the current folder."),
                "committed": string("When the commit was made, by the repository."),
                "message": string("The first paragraph of its message."),
                "url": string("The address of its page, by --commit-url or by the remote repository."),
            ])
        return document(
            "The output of `cachereplay history page --json`",
            list(change, "The changes, by trace, cache and metric, then by time."))
    }
}
