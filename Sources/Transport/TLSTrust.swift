/// Whose certificates are believed.
public enum TLSTrust: Sendable {
    /// The machine's own list of authorities.
    case system
    /// These authorities and no others: one or more PEM certificates.
    case pem([UInt8])
}
