/// Reason why an audit could not be made.
package enum AuditError: Error, Equatable {
    case system(call: String, path: String, code: Int32)
    /// Found by chance, or never: fewer than 16 bytes.
    case shortCanary(name: String)
    /// The file of canaries is not one that an audit wrote.
    case malformedCanaries
}
