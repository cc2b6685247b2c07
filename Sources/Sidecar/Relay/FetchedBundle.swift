import Envelope

/// Relay's word on a device's bundle.
enum FetchedBundle: Equatable, Sendable {
    /// - Parameter tag: names this version in a later query.
    case bundle([UInt8], tag: String?)
    /// The copy with this tag is the newest.
    case unchanged

    /// Reads the member `bundle` of an answer.
    static func read(_ answer: JSONValue?, tag: String?) -> Result<FetchedBundle, Rejection> {
        guard let bundle = answer?["bundle"]?.string.flatMap({ Base64URL.decode(text: $0) }) else {
            return .failure(Rejection("malformed", "The relay's answer has no bundle."))
        }
        return .success(.bundle(bundle, tag: tag))
    }
}
