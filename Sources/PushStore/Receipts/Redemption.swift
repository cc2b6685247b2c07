/// What a capability was good for.
package enum Redemption: Equatable, Sendable {
    /// The first time. The entry as it is now.
    case received(OutboxEntry)
    /// It was used before; nothing changes.
    case repeated
    /// Nobody waits for it.
    case unknown
}
