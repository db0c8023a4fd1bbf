import CacheTraces
import SessionModel

/// What `trace info` says of a recording's pages.
extension [HARPage] {
    var rows: [(label: String, value: String)] {
        guard count > 1 else { return [] }
        return enumerated().map { index, page in
            (index == 0 ? "pages" : "", "\(page.label(index + 1)): \(page.entries) entries, \(page.images) of images")
        }
    }

    func write(to writer: inout JSONWriter) {
        guard !isEmpty else { return }
        writer.key("pages")
        writer.beginArray()
        for page in self {
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
