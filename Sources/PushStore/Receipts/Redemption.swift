/// Result of redeeming a capability.
package enum Redemption: Equatable, Sendable {
    /// First use; the entry afterwards.
    case received(OutboxEntry)
    /// Used before; nothing changes.
    case repeated
    /// Not expected.
    case unknown
}
