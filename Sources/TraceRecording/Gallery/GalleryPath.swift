/// The resource of a gallery that a path names. Images have numbers: no part of a URL is ever a path of the file
/// system.
enum GalleryPath: Equatable {
    case page(String)
    case images
    case clock
    case hello
    case events
    /// An image by number, and the browser if the query names it: `/thumb/12?c=k3…`.
    case image(Int, isFull: Bool, client: String?)

    /// Returns nil if the path names no resource. `secret` is the first segment of every path; nil for none.
    init?(_ uri: String, secret: String?) {
        var path = uri.prefix { $0 != "?" }
        let query = uri.dropFirst(path.count + 1)
        guard path.first == "/" else { return nil }
        path = path.dropFirst()
        if let secret {
            guard path.hasPrefix(secret + "/") else { return nil }
            path = path.dropFirst(secret.count + 1)
        }
        switch path {
        case "images": self = .images
        case "clock": self = .clock
        case "hello": self = .hello
        case "events": self = .events
        default:
            let segments = path.split(separator: "/", omittingEmptySubsequences: false)
            guard segments.count == 2, segments[0] == "full" || segments[0] == "thumb" else {
                self = .page(String(path))
                return
            }
            guard let number = Int(segments[1]), number >= 0 else { return nil }
            let client = query.split(separator: "&").first { $0.hasPrefix("c=") }?.dropFirst(2)
            self = .image(number, isFull: segments[0] == "full", client: client.map(String.init))
        }
    }
}
