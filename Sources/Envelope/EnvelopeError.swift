/// Why bytes were not an envelope. Says where, never what was there.
package enum EnvelopeError: Error, Equatable {
    /// Not one of the two lengths that exist; nothing else was looked at.
    case wrongLength(count: Int)
    case notBase64URL
    case unsupportedVersion(UInt8)
    case unsupportedSuite(UInt8)
}
