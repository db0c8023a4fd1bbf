/// The style of pages with tables and pictures alone.
enum PageStyle {
    static let plain = """
        body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1200px; margin: 2em \
        auto; padding: 0 1em }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1em 0 }
        th, td { padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd }
        th:first-child, td:first-child { text-align: left }
        img { max-width: 100%; display: block; margin: 1em 0 }
        code { overflow-wrap: anywhere }
        """
}
