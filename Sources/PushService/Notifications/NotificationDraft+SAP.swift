import APNS
import Envelope
import Primitives
import PushStore
import ServiceParts

extension NotificationDraft {
    /// - Throws: `.invalidFields` with every device that cannot be sent to.
    init(
        _ notification: SAPNotification,
        lookups: [DeviceLookup],
        tenant: TenantConfiguration,
        settings: ServiceSettings,
        collapseKey: borrowing CollapseKey,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(Problem) {
        try self.init(
            try Common(notification, now: now),
            lookups,
            leavingOut: nil,
            tenant: tenant,
            settings: settings,
            collapseKey: collapseKey,
            now: now,
            random: &random,
            place: { ($0, notification.devices[$0], .element(.member(.root, "devices"), $0)) },
            own: { _, _, _, random in
                Own(payload: notification.payload, trace: Trace(bytes: random.bytes(count: 16)))
            }
        )
    }
}

extension NotificationDraft.Common {
    /// Lifetime without a date; the maximum is Apple's.
    private static let lifetimeDefault = Duration.seconds(86_400)
    private static let lifetimeMax = Duration.seconds(30 * 86_400)

    fileprivate init(_ notification: SAPNotification, now: Timestamp) throws(Problem) {
        app = try DeviceHandler.topic(notification.bundleID)
        topic = notification.topic
        pushType = notification.pushType
        lane = notification.firstLane
        priority = notification.priority
        expiration = notification.expiration
        let latest = now.advanced(by: Self.lifetimeMax)
        let wanted = notification.expiration.map { Timestamp(milliseconds: $0.unixSeconds * 1_000) }
        deadline = min(wanted ?? now.advanced(by: Self.lifetimeDefault), latest)
        attemptLimit = SAPNotification.attemptCountMax
        // A unique id makes a retry after an unclear result safe.
        collapses = notification.pushType == .alert ? .normal : nil
    }
}
