/// Whether a request is for an image, as ``HARFormat`` has it: by what came, else by the address.
enum ImageGuess {
    private static let endings: Set<String> = [
        "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "heif", "svg", "bmp", "ico", "jxl", "tif", "tiff", "apng",
    ]

    /// `isLikely`: by the address, or because one came from there before.
    static func isImage(status: Int, contentType: String?, isLikely: Bool) -> Bool {
        // What a redirect answers is no image, whatever its address ends in: the one it points at is asked for next.
        if (300..<400).contains(status), status != 304 { return false }
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("image/") { return true }
        let tellsNothing = type.isEmpty || type.hasPrefix("application/octet-stream")
        // The page that tells of an error has a type of its own.
        return (tellsNothing || !(200..<300).contains(status)) && isLikely
    }

    /// By the ending of the path, or because the client takes nothing but images, as browsers say for `<img>`.
    static func isLikely(url: String, accept: String?) -> Bool {
        if let accept, accept.lowercased().hasPrefix("image/") { return true }
        let path = url.prefix { $0 != "?" }
        guard let dot = path.lastIndex(of: "."), dot > (path.lastIndex(of: "/") ?? path.startIndex) else {
            return false
        }
        return endings.contains(path[path.index(after: dot)...].lowercased())
    }
}
