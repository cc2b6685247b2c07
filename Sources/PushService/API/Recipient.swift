import APNS
import Envelope
import PushStore

struct Recipient: Sendable {
    /// Reason against a device, to follow a pointer.
    struct Failure: Error, Equatable, Sendable {
        let sentence: String
    }

    let app: ServiceSettings.App
    let device: Device

    /// - Throws: the same for another tenant's device as for a missing one.
    init(
        _ lookup: DeviceLookup,
        topic: Topic,
        pushType: PushType,
        purpose: TokenPurpose?,
        tenant: TenantID,
        settings: ServiceSettings
    ) throws(Failure) {
        guard case .found(let device) = lookup else {
            let isDamaged = lookup == .damaged
            throw Failure(
                sentence: isDamaged
                    ? "the device's registration is damaged; it is repaired when the app registers again"
                    : "no such device is registered; the app registers it with PUT /v1/devices/{id}"
            )
        }
        guard device.topic == topic else {
            throw Failure(sentence: "the device is registered for another app than 'topic' names")
        }
        guard let app = settings.app(BundleID(of: topic, .alert), environment: device.environment, of: tenant) else {
            throw Failure(sentence: "the app is not configured for the device's environment")
        }
        switch device.quarantine {
        case .badToken:
            let sentence =
                "Apple does not know the device's token in this environment; nothing is sent to it until the app"
                + " registers another one"
            throw Failure(sentence: sentence)
        case .unconfirmed:
            throw Failure(
                sentence:
                    "Apple says that the app is gone from the device; nothing is sent to it until it registers again"
            )
        case nil: break
        }
        if device.token(for: pushType, purpose) == nil {
            guard let purpose else {
                throw Failure(sentence: "the device has no 'voip-token', which a call needs; the app registers it")
            }
            let kind = "'\(purpose.kind.word)'\(purpose.name.isEmpty ? "" : " and this name")"
            throw Failure(sentence: "the device has no token of kind \(kind); the app registers it in 'tokens'")
        }
        self.app = app
        self.device = device
    }
}
