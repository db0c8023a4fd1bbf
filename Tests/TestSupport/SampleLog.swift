import Basics

/// The text of an access log in Squid's native format, with what makes logs different from sessions: lines in order of
/// the ends of requests, objects whose first size comes late or never, failures, parts and responses without bodies.
package enum SampleLog {
    package static func squid(_ lines: Int, objects: Int = 90, seed: UInt64 = 1) -> String {
        var random = SplitMix64(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var text = ""
        var milliseconds = 1_700_000_000_000
        for number in 0..<lines {
            // Two pauses of hours begin new epochs.
            milliseconds += number % (lines / 3 + 1) == lines / 3 ? 9_000_000 : below(40)
            let object = below(objects) * below(objects) / objects
            // Some objects always fail, some are only read in parts, some have no body, and some vary.
            let status =
                switch object % 9 {
                case 1: below(3) == 0 ? 200 : 503
                case 2: below(2) == 0 ? 206 : 304
                case 3: 204
                case 4: 404
                case 5: below(4) == 0 ? 0 : 200
                default: 200
                }
            let bytes = status == 206 ? 100 + below(900) : 1_000 + object * 37 + (object % 9 == 6 ? below(2) : 0)
            let (method, type) = (number % 50 == 7 ? "HEAD" : "GET", object % 4 == 0 ? "text/html" : "image/jpeg")
            let time = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
            text += number % 97 == 96 ? "not a line\r\n" : ""
            text += "\(time) \(below(3_000)) 10.0.0.1 TCP_MISS/\(status) \(bytes) \(method) http://a.example/\(object)"
            text += " - DIRECT/10.0.0.2 \(type)\(number % 5 == 0 ? "\r\n" : "\n")"
        }
        return text
    }
}
