import TestSupport

/// Sends text to a port of this machine, and returns all bytes until the other side closes: a minimal HTTP client.
func rawRequest(_ text: String, port: Int) -> String {
    let connection = RawConnection(port: port, timeout: nil)
    return connection.send(text) ? connection.receiveAll() : ""
}
