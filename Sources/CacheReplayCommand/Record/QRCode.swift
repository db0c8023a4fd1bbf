import Foundation

/// An address as a picture that a phone's camera reads, drawn by qrencode where that is installed.
enum QRCode {
    static let remedy =
        """
        A phone would find the address by a QR code here, if qrencode were installed (apt-get install qrencode; brew \
        install qrencode).
        """

    static func text(_ address: String) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["qrencode", "--type=ANSIUTF8", "--margin=2", "--", address]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 && !text.isEmpty ? String(decoding: text, as: UTF8.self) : nil
    }
}
