/// Strictness where Apple's documentation and servers are known to differ.
package enum Profile: String, Sendable, CaseIterable {
    /// Documentation to the letter; our own provider is tested against it.
    case spec
    /// Accepts more, as the live service was seen to: provider tokens with a DER signature (as by Apple's own command
    /// line recipe), in the standard base64 alphabet or padded; `iat` as a string or with a fraction (RFC 7519 section
    /// 2 allows it, PyAPNs2 writes it); an `apns-id` in upper case; a background push without a priority.
    case apple
}
