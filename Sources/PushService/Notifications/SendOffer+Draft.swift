import APNS
import Envelope
import PushStore

extension SendOffer {
    convenience init(
        _ draft: NotificationDraft,
        tenant: TenantID,
        now: Timestamp
    ) {
        self.init(
            tenant: tenant,
            entries: draft.entries,
            devices: draft.devices,
            bundleID: BundleID(of: draft.topic, .alert),
            now: now
        )
    }
}
