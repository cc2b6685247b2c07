/// What an API key may be used for. Small on purpose: a leaked key of the extension must not send.
package enum Scope: String, CaseIterable, Sendable {
    /// Send notifications, ask for their state, re-send.
    case send
    /// Devices, dead letters, configuration of the tenant.
    case manage
    /// Read devices, bundles and states.
    case read
    /// Report receipts and ask for re-sends: what an app's own copies may carry.
    case receipts
    /// Read the metrics of the whole process.
    case metrics

    fileprivate var bit: UInt8 {
        switch self {
        case .send: 1
        case .manage: 2
        case .read: 4
        case .receipts: 8
        case .metrics: 16
        }
    }
}

/// Scopes of one key.
package struct Scopes: Equatable, Sendable {
    let bits: UInt8

    package init(_ scopes: [Scope]) { bits = scopes.reduce(0) { $0 | $1.bit } }

    init(bits: UInt8) { self.bits = bits }

    package func contains(_ scope: Scope) -> Bool { bits & scope.bit != 0 }
}
