import CCurl

/// The receiver of a transfer. libcurl calls on the thread of the handle.
protocol CurlReceiver: AnyObject {
    /// Takes bytes of the body, and returns their number. Another number ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Takes one line of a head or of the trailers, with its end, and returns the number of its bytes. Another number
    /// ends the transfer. libcurl only calls it if ``CurlHandle/receivesLines`` is true.
    func receive(line: UnsafeRawBufferPointer) -> Int
}

/// An easy handle of libcurl, which is reused for many transfers. Belongs to one thread.
final class CurlHandle {
    /// libcurl's own handle, for options.
    let easy: UnsafeMutableRawPointer
    /// Without a receiver, a transfer ends with its first bytes.
    weak var receiver: (any CurlReceiver)?
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes its error message here.
    private let message: UnsafeMutablePointer<CChar>

    /// Returns nil if memory is exhausted.
    init?() {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_PRIVATE, CURLOPT_WRITEDATA] { ccurl_set_pointer(easy, option, context) }
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let receiver = CurlHandle.receiver(context) else { return 0 }
            return receiver.receive(UnsafeRawBufferPointer(start: data, count: size * count))
        }
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // A proxy from the environment does not apply to the loopback origin.
        ccurl_set_string(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1")
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    private static func receiver(_ context: UnsafeMutableRawPointer?) -> (any CurlReceiver)? {
        context.flatMap { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue().receiver }
    }

    static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
        var context: UnsafeMutableRawPointer?
        ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the receiver gets the lines of heads and trailers.
    var receivesLines = false {
        didSet {
            // With the data alone, libcurl would pass heads to the function of bodies.
            let context = receivesLines ? Unmanaged.passUnretained(self).toOpaque() : nil
            ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
            guard receivesLines else { return _ = ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, nil) }
            ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { data, size, count, context in
                guard let data, let receiver = CurlHandle.receiver(context) else { return 0 }
                return receiver.receive(line: UnsafeRawBufferPointer(start: data, count: size * count))
            }
        }
    }

    /// Prepares a transfer. Returns false if memory is exhausted.
    func begin(_ url: String) -> Bool {
        message.pointee = 0
        return ccurl_set_string(easy, CURLOPT_URL, url) == CURLE_OK
    }

    /// Sets the fields of the next requests, each as libcurl reads it: a field that ends with a colon removes libcurl's
    /// own. Returns false if memory is exhausted.
    func setFields(_ lines: [some Sequence<UInt8>]) -> Bool {
        removeFields()
        for line in lines {
            let bytes = line.map { CChar(bitPattern: $0) } + [0]
            guard let longer = curl_slist_append(fields, bytes) else { return false }
            fields = longer
        }
        return ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, fields) == CURLE_OK
    }

    func removeFields() {
        ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(fields)
        fields = nil
    }

    /// Returns a line of ``setFields(_:)``. A semicolon stands for an empty value.
    static func field(_ name: String, _ value: String) -> String {
        value.isEmpty ? "\(name);" : "\(name): \(value)"
    }

    /// Returns libcurl's words for the end of the last transfer.
    func detail(_ code: CURLcode) -> String? {
        message.pointee == 0 ? curl_easy_strerror(code).map { String(cString: $0) } : String(cString: message)
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        ccurl_get_long(easy, info, &value)
        return value
    }

    /// Returns a size in bytes, or a time in microseconds.
    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        ccurl_get_offset(easy, info, &value)
        return Int(value)
    }
}
