import SessionModel

extension HARRecording {
    /// Returns the events of the recording's images, in order of time.
    ///
    /// - Parameters:
    ///   - page: The index in ``pages`` of the page to read; nil for all pages.
    ///   - notes: Receives warnings.
    /// - Throws: `TraceError` if there are no images.
    public func trace(page: Int? = nil, _ notes: inout ReadingNotes) throws -> Trace {
        let images = page.map { page in self.images.filter { $0.page == page } } ?? self.images
        guard !images.isEmpty else { throw TraceError(file: file, whyEmpty(page)) }
        var builder = TraceBuilder()
        var skipped = SkippedEntries()
        var started: (time: Int64, text: String)?
        var sizesThatVary: Set<ObjectID> = []
        for image in images {
            let entry = image.entry
            guard let url = entry.url else {
                skipped.noURL.append(image.number)
                continue
            }
            if url.lowercased().hasPrefix("data:") {
                skipped.dataURL.append(image.number)
                continue
            }
            guard let text = entry.startedDateTime, let time = Timestamp.microseconds(text) else {
                skipped.noDate.append(image.number)
                continue
            }
            if started.map({ time < $0.time }) ?? true { started = (time, text) }
            let object = builder.object(url)
            builder.append(TraceEvent(time: time, .appear(object, .full)))
            builder.append(TraceEvent(time: time, .fetch(object, entry.fetch)))
            builder.update(object) { if !$0.update(from: entry) { sizesThatVary.insert(object) } }
        }
        notes.warnings += skipped.warnings
        guard !builder.events.isEmpty else {
            throw TraceError(
                file: file,
                "none of the \(images.count) image entries can be used: \(skipped.warnings.joined(separator: "; "))")
        }
        if page == nil, pageList.withImages.count > 1 {
            notes.warnings.append(
                """
                \(pageList.withImages.count) pages or runs with images are read as one trace, in order of time; --page \
                selects one: \(pageList.listWithImages)
                """
            )
        }
        if !sizesThatVary.isEmpty {
            notes.warnings.append("\(sizesThatVary.count) URLs came with different sizes; the first is kept for each")
        }
        let unsized = builder.objects.count { $0.bytes == nil }
        if unsized > 0 { notes.warnings.append("\(unsized) of \(builder.objects.count) objects have no known size") }
        builder.header = TraceHeader(title: title(page), recorder: creator, started: started?.text)
        return builder.finish()
    }

    /// Returns the index in ``pages`` of the page with an id, a title or a number from 1.
    ///
    /// - Throws: `TraceError`, which lists the pages.
    public func page(named name: String) throws -> Int {
        if let page = pageList.named(name) { return page }
        throw TraceError(
            file: file,
            pages.isEmpty
                ? "the recording has no pages to choose from"
                : "'\(name)' is not the name of exactly one page; select one by its number: \(pageList.list)")
    }

    private func title(_ page: Int?) -> String? {
        page.map { pages[$0].title ?? pages[$0].id } ?? pages.lazy.compactMap(\.title).first
    }

    private func whyEmpty(_ page: Int?) -> String {
        if let page {
            return
                """
                no image entries among the \(pages[page].entries) of page \(pages[page].label(page + 1)); choose \
                another: \(pageList.list)
                """
        }
        return "no image entries among \(summary.entries) entries; record a page that shows images"
    }
}

extension TraceObject {
    /// Adds the facts of an entry. Returns false if the entry has a different size than an earlier one.
    fileprivate mutating func update(from entry: HAREntry) -> Bool {
        let isImage = (200..<300).contains(entry.status) && entry.status != 204 && entry.status != 205
        if contentType == nil, let type = entry.mimeType, !type.isEmpty { contentType = type }
        guard isImage || entry.status == 304 else { return true }
        if headers.isEmpty { headers = entry.headers }
        // The size of a 304 is that of the stored image, which only `content.size` contains.
        let size = isImage ? entry.bodyBytes : entry.contentSize.flatMap { $0 > 0 ? $0 : nil }
        guard let size else { return true }
        if bytes == nil { bytes = size }
        return bytes == size
    }
}

/// The numbers (from 1) of the image entries that were skipped, by reason.
private struct SkippedEntries {
    var noURL: [Int] = []
    var noDate: [Int] = []
    var dataURL: [Int] = []

    var warnings: [String] {
        [
            (noURL, "without a URL skipped"), (noDate, "without a valid startedDateTime skipped"),
            (dataURL, "with a data: URL skipped, because they are not fetched"),
        ].compactMap { numbers, reason in
            numbers.first.map { "\(numbers.count) image entries \(reason) (the first is entry \($0))" }
        }
    }
}
