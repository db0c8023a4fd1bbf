/// What `trace info` says of a recording's pages.
extension TraceReading {
    var pageRows: [(label: String, value: String)] {
        guard pages.count > 1 else { return [] }
        return pages.enumerated().map { index, page in
            (index == 0 ? "pages" : "", "\(page.label(index + 1)): \(page.entries) entries, \(page.images) of images")
        }
    }

    func writePages(_ writer: inout JSONWriter) {
        guard !pages.isEmpty else { return }
        writer.key("pages")
        writer.beginArray()
        for page in pages {
            writer.beginObject()
            writer.key("id")
            writer.string(page.id)
            writer.key("title")
            if let title = page.title { writer.string(title) } else { writer.null() }
            writer.key("entries")
            writer.integer(page.entries)
            writer.key("images")
            writer.integer(page.images)
            writer.endObject()
        }
        writer.endArray()
    }
}
