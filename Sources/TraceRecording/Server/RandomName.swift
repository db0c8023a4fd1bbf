/// Random names that cannot be guessed, such as the secret in the address of a server.
package enum RandomName {
    /// Returns a random name of letters and digits that are easy to distinguish. 16 characters have 79 bits.
    package static func make(_ count: Int) -> String {
        String((0..<count).compactMap { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() })
    }
}
