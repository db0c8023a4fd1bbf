import ReplayEngine

extension Rule {
    /// The documentation page of all rules, in Markdown. The DocC catalog of `ReplayEngine` contains a copy.
    public static var page: String {
        var page = """
            # Rules

            Settings of a cache beside the policies of its tiers.

            ## Overview

            A rule follows the policies in a specification (`lru(20MB); connections: 4`). In a YAML file, it stands \
            below
            its section: `memory`, `disk` or `pipeline`. `cachereplay list rules NAME` explains one rule, and
            `cachereplay list rules --markdown` prints this page from the table that the parser uses.

            """
        for section in Section.allCases {
            page += "\n## \(section.rawValue.capitalized)\n\n"
            page += "| Rule | Default | Values | Meaning |\n|---|---|---|---|\n"
            for rule in all where rule.section == section {
                page += "| `\(rule.name)` | `\(rule.defaultText)` | \(rule.values) | \(rule.meaning) |\n"
            }
        }
        return page
    }
}
