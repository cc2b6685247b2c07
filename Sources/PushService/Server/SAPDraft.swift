import APNS
import Envelope
import Primitives
import PushStore

/// What a notification with SAP's properties becomes once its devices are known.
struct SAPDraft: Sendable {
    /// Without a date of its own; the longest that Apple keeps one.
    private static let lifetimeDefault = Duration.seconds(86_400)
    private static let lifetimeMax = Duration.seconds(30 * 86_400)

    let topic: Topic
    /// In the order of the devices.
    let entries: [NewEntry]

    /// - Parameters:
    ///   - notification: as it was read.
    ///   - lookups: of its devices, in their order.
    ///   - tenant: whose.
    ///   - settings: with the tenant's apps.
    ///   - collapseKey: makes the collapse ids.
    ///   - now: the time.
    ///   - random: for apns-ids and traces.
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
        topic = try DeviceHandler.topic(notification.bundleID)
        let latest = now.advanced(by: Self.lifetimeMax)
        let wanted = notification.expiration.map { Timestamp(milliseconds: $0.unixSeconds * 1_000) }
        let deadline = min(wanted ?? now.advanced(by: Self.lifetimeDefault), latest)
        let faults = FieldFaults()
        var entries: [NewEntry] = []
        entries.reserveCapacity(notification.devices.count)
        for (index, device) in notification.devices.enumerated() {
            do throws(Recipient.Obstacle) {
                _ = try Recipient(
                    lookups[index],
                    topic: topic,
                    pushType: notification.pushType,
                    tenant: tenant.id,
                    settings: settings
                )
            } catch {
                faults.add(.wrong, .element(.member(.root, "devices"), index), at: 0, error.sentence)
                continue
            }
            let id = APNSID.timeOrdered(now: now, random: &random)
            entries.append(
                NewEntry(
                    device: try DeviceHandler.key(device, tenant).device,
                    topic: notification.topic,
                    apnsID: id,
                    // An alert of its own, which makes an unclear outcome safe to send again.
                    collapseID: notification.pushType == .alert
                        ? collapseKey.collapseID(for: .normal, id: id, tenant: tenant.id, device: device, word: nil)
                        : nil,
                    lane: notification.firstLane.stored,
                    pushType: notification.pushType,
                    priority: notification.priority,
                    expiration: notification.expiration,
                    deadline: deadline,
                    attemptLimit: SAPNotification.attemptCountMax,
                    payload: notification.payload,
                    trace: Trace(bytes: random.bytes(count: 16)),
                    isReported: tenant.webhook != nil
                )
            )
        }
        guard faults.all.isEmpty else { throw NotificationDraft.problem(faults.all) }
        self.entries = entries
    }
}
