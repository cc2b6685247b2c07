package import APNS

/// Pushes of servers that the relay took or refused.
package struct GatewayCounts: Equatable, Sendable {
    package var accepted: Int
    package var refused: Int

    package init(accepted: Int = 0, refused: Int = 0) {
        self.accepted = accepted
        self.refused = refused
    }

    package var sum: Int { accepted + refused }

    package mutating func note(isAccepted: Bool) {
        if isAccepted { accepted += 1 } else { refused += 1 }
    }

    package static func += (one: inout GatewayCounts, other: GatewayCounts) {
        one.accepted += other.accepted
        one.refused += other.refused
    }
}

package struct GatewayApp: Hashable, Sendable {
    package let tenant: TenantID
    package let topic: Topic
    package let environment: APNSEnvironment

    package init(tenant: TenantID, topic: Topic, environment: APNSEnvironment) {
        self.tenant = tenant
        self.topic = topic
        self.environment = environment
    }
}

/// Counts to be added.
package struct GatewayDeltas: Sendable {
    /// By the endpoint's hash.
    package var endpoints: [[UInt8]: GatewayCounts] = [:]
    package var apps: [GatewayApp: GatewayCounts] = [:]

    package init() {}

    package var isEmpty: Bool { endpoints.isEmpty && apps.isEmpty }
}

/// Server that a tenant keeps out: an endpoint by its id, 16 bytes, or a VAPID key by its hash, 32 bytes.
package struct EndpointBlock: Hashable, Sendable {
    /// Of one tenant.
    package static let countMax = 10_000

    package let tenant: TenantID
    package let id: [UInt8]

    package init(tenant: TenantID, id: [UInt8]) {
        self.tenant = tenant
        self.id = id
    }
}
