/// Tenant's entries in a lane by state. Every change maintains it; reading is cheap.
package struct LaneCount: Equatable, Sendable {
    package let tenant: TenantID
    package let lane: Lane
    package var queued = 0
    package var sending = 0
    package var parked = 0
    package var accepted = 0
    package var delivered = 0
    package var dead = 0
    package var expired = 0

    package init(tenant: TenantID, lane: Lane) {
        self.tenant = tenant
        self.lane = lane
    }

    package subscript(code: EntryState.Code) -> Int {
        get { self[keyPath: Self.path(code)] }
        set { self[keyPath: Self.path(code)] = newValue }
    }

    private static func path(_ code: EntryState.Code) -> WritableKeyPath<LaneCount, Int> {
        switch code {
        case .queued: \.queued
        case .sending: \.sending
        case .parked: \.parked
        case .accepted: \.accepted
        case .delivered: \.delivered
        case .dead: \.dead
        case .expired: \.expired
        }
    }
}
