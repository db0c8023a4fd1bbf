/// Decides whether a request is for an image, by the same rules as ``HARFormat``: by the response, otherwise by the
/// URL.
enum ImageGuess {
    private static let endings: Set<String> = [
        "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "heif", "svg", "bmp", "ico", "jxl", "tif", "tiff", "apng",
    ]

    /// Decides by the response. `isLikely` is the decision by the URL, or by an earlier response.
    static func isImage(status: Int, contentType: String?, isLikely: Bool) -> Bool {
        // A redirect is not an image, whatever its URL is; the client requests its target next.
        if (300..<400).contains(status), status != 304 { return false }
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("image/") { return true }
        let isUnspecific = type.isEmpty || type.hasPrefix("application/octet-stream")
        // An error page has its own type, so the URL decides.
        return (isUnspecific || !(200..<300).contains(status)) && isLikely
    }

    /// Decides by the extension of the path, or by `Accept`: browsers accept only images for `<img>`.
    static func isLikely(url: String, accept: String?) -> Bool {
        if let accept, accept.lowercased().hasPrefix("image/") { return true }
        let path = url.prefix { $0 != "?" }
        guard let dot = path.lastIndex(of: "."), dot > (path.lastIndex(of: "/") ?? path.startIndex) else {
            return false
        }
        return endings.contains(path[path.index(after: dot)...].lowercased())
    }
}
