/// How strictly a request is read where Apple's documentation and Apple's servers are known to differ.
package enum Profile: String, Sendable, CaseIterable {
    /// The documentation, to the letter. What our own provider is tested against.
    case spec
    /// What the live service has been seen to accept besides: provider tokens with a DER signature (Apple's own command
    /// line recipe makes one), in the standard base64 alphabet or padded, with `iat` as a string or with a fraction (a
    /// NumericDate of RFC 7519 section 2 may have one, and PyAPNs2 has always written it); an `apns-id` in upper case; a
    /// background push without a priority.
    case apple
}
