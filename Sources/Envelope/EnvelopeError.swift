/// Failures of reading an envelope, without its content.
package enum EnvelopeError: Error, Equatable {
    /// Neither of the two lengths; nothing else was checked.
    case wrongLength(count: Int)
    case notBase64URL
    case unsupportedVersion(UInt8)
    case unsupportedSuite(UInt8)
}
