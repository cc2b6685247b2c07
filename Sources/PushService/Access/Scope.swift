/// What an API key may be used for. What devices send themselves (receipts, re-sends) asks for no key, so that no app has one.
package enum Scope: String, CaseIterable, Sendable {
    /// Send notifications; to ask for their state is `read`.
    case send
    /// Register and delete devices; list and replay dead letters.
    case manage
    /// Read devices, bundles and states.
    case read
    /// Read the metrics of the whole process, whosever apps are in them.
    case metrics

    fileprivate var bit: UInt8 {
        switch self {
        case .send: 1
        case .manage: 2
        case .read: 4
        case .metrics: 8
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
