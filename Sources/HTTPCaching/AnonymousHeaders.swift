extension [HTTPField] {
    /// Returns headers without the texts of the server. A cache treats them as it treats these.
    ///
    /// - `Cache-Control` keeps the directives of ``ResponseDirectives`` with their seconds, in the first field of the
    ///   name. `Age` keeps its seconds.
    /// - `Expires`, `Last-Modified` and `Date` move as ``HTTPDates/moved(_:by:)`` says. A text that is no date becomes
    ///   `0`.
    /// - An entity tag becomes a name. It stays weak, without quotation marks, or unusable, if it is.
    /// - `Vary` becomes a name, and `Vary: *` stays.
    /// - Of any other field, the name and the value become names.
    ///
    /// - Parameters:
    ///   - seconds: The time by which dates move; 0 or more.
    ///   - name: Returns the name that replaces a text. A name is visible ASCII without quotation marks, commas and
    ///     asterisks.
    public func anonymized(movingDatesBy seconds: Int64, name: (String) -> String) -> [HTTPField] {
        let directives = ResponseDirectives(combined("cache-control"))
        let place = firstIndex { $0.name == "cache-control" }
        return indices.compactMap { index -> HTTPField? in
            let field = self[index]
            let value = field.value.trimmed
            // With white space around it, a value can have another meaning, such as a text that is no date.
            let space = value.utf8.count == field.value.utf8.count ? "" : " "
            switch field.name {
            case "cache-control": return index == place ? HTTPField(field.name, directives.text) : nil
            case "age":
                let age = listItems(String(value)).first.flatMap { deltaSeconds($0) }
                return HTTPField(field.name, age.map(String.init) ?? "")
            case "expires", "last-modified", "date":
                let date = HTTPDates.microseconds(value).map { HTTPDates.text(HTTPDates.moved($0, by: seconds)) }
                return HTTPField(field.name, space + (date ?? "0"))
            case "etag": return HTTPField(field.name, space + Self.anonymous(tag: field.value, name))
            case "vary":
                let isAny = listItems(field.value).contains("*")
                return HTTPField(field.name, isAny ? "*" : value.isEmpty ? "" : name(field.value))
            default: return HTTPField(name(field.name), name(field.value))
            }
        }
    }

    private static func anonymous(tag: String, _ name: (String) -> String) -> String {
        let trimmed = tag.trimmed
        guard !trimmed.isEmpty else { return "" }
        // No field can hold this letter.
        guard HTTPValidators.isSendable(tag) else { return name(tag) + "\u{E9}" }
        let weakness = trimmed.hasPrefix("W/") ? "W/" : ""
        let quote = HTTPValidators.isQuoted(String(trimmed)) ? "\"" : ""
        // An origin takes a tag with some commas for a list, and never confirms it.
        let validators = HTTPValidators([HTTPField("etag", tag)])
        let rest = validators.confirm(validators.conditions) ? "" : "\(quote),\(quote)0"
        return weakness + quote + name(tag) + rest + quote
    }
}

extension ResponseDirectives {
    /// The value of a field with these directives.
    fileprivate var text: String {
        let flags = [
            (noStore, "no-store"), (noCache, "no-cache"), (mustRevalidate, "must-revalidate"),
            (isImmutable, "immutable"),
        ]
        let times = [
            ("max-age", maxAge), ("stale-while-revalidate", staleWhileRevalidate), ("stale-if-error", staleIfError),
        ]
        let texts = flags.filter(\.0).map(\.1) + times.compactMap { name, seconds in seconds.map { "\(name)=\($0)" } }
        return texts.joined(separator: ", ")
    }
}
