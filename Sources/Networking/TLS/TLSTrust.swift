/// Trusted certificate authorities.
public enum TLSTrust: Sendable {
    /// Machine's own list.
    case system
    /// Only these: one or more PEM certificates.
    case pem([UInt8])
}
