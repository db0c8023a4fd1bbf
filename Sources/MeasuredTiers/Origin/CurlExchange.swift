import CCurl
import CacheTiers

/// The options of libcurl that an ``OriginRequest`` sets, and the heads of its responses.
final class CurlExchange {
    private(set) var heads: [OriginHead] = []
    private let request: OriginRequest
    private var isHeadOpen = false

    init(_ request: OriginRequest) { self.request = request }

    /// The fields as libcurl reads them, in Latin-1.
    private var lines: [[UInt8]] {
        // Without these lines, libcurl adds a type to a body, and waits for the server before a long one.
        var texts = request.body == nil ? [] : ["Expect:"]
        if request.body != nil, !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            texts.append("Content-Type:")
        }
        texts += request.fields.map(CurlHandle.field)
        return texts.map { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    }

    /// Returns false if memory is exhausted.
    func set(_ curl: CurlHandle) -> Bool {
        let handle = curl.easy
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        // The body is delivered as sent, also with a transfer coding that libcurl does not know.
        ccurl_set_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 0)
        if let body = request.body {
            ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // libcurl copies the announced number of bytes. One byte more makes the address of an empty body valid.
            (body + [0]).withUnsafeBytes { _ = ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        }
        if request.method == "HEAD" {
            ccurl_set_long(handle, CURLOPT_NOBODY, 1)
        } else if request.method != "GET" || request.body != nil {
            ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method)
        }
        curl.receivesLines = true
        return curl.setFields(lines)
    }

    /// Makes the handle one for fetches without an ``OriginRequest`` again.
    static func reset(_ curl: CurlHandle) {
        let handle = curl.easy
        curl.receivesLines = false
        curl.removeFields()
        ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
        ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, nil)
        ccurl_set_long(handle, CURLOPT_NOBODY, 0)
        ccurl_set_long(handle, CURLOPT_HTTPGET, 1)
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 1)
        ccurl_set_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 1)
    }

    /// Takes one line of a head, with its end.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        var line = String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
        while line.unicodeScalars.last.map({ $0 == "\r" || $0 == "\n" }) == true { line.unicodeScalars.removeLast() }
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ", maxSplits: 2)
            heads.append(OriginHead(status: words.count > 1 ? Int(words[1]) ?? 0 : 0))
            isHeadOpen = true
        } else if line.isEmpty {
            isHeadOpen = false
        } else if isHeadOpen, let colon = line.unicodeScalars.firstIndex(of: ":") {
            let value = line[line.unicodeScalars.index(after: colon)...]
            heads[heads.count - 1].fields.append((String(line[..<colon]), trimmed(value)))
        }
    }

    private func trimmed(_ text: Substring) -> String {
        var scalars = text.unicodeScalars.drop { $0 == " " || $0 == "\t" }
        while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
        return String(scalars)
    }
}

extension OriginRequest {
    /// Why the request cannot be sent; nil if it can.
    var flaw: String? {
        for text in [method] + fields.flatMap({ [$0.name, $0.value] }) {
            let isRefused = { (scalar: Unicode.Scalar) in
                scalar.value > 0xFF || "\r\n\0".unicodeScalars.contains(scalar)
            }
            if let scalar = text.unicodeScalars.first(where: isRefused) {
                return "A request cannot contain U+\(String(scalar.value, radix: 16, uppercase: true)) in its head."
            }
        }
        if method.isEmpty || method.contains(" ") { return "The method of a request is one word." }
        if fields.contains(where: { $0.name.isEmpty || $0.name.contains(where: { ": \t;".contains($0) }) }) {
            return "The name of a field has no colon, semicolon or white space."
        }
        return nil
    }
}
