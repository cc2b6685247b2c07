/// Right of an API key. Devices' own requests (receipts, re-sends) need none, so no app contains one.
package enum Scope: String, CaseIterable, Sendable {
    /// Sends notifications; reading their state is `read`.
    case send
    /// Devices and dead letters.
    case manage
    case read
    /// Metrics of the whole process, with every tenant's apps.
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

package struct Scopes: Equatable, Sendable {
    let bits: UInt8

    package init(_ scopes: [Scope]) { bits = scopes.reduce(0) { $0 | $1.bit } }

    init(bits: UInt8) { self.bits = bits }

    package func contains(_ scope: Scope) -> Bool { bits & scope.bit != 0 }
}
