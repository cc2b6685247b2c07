import Envelope
import Foundation
import Keys
import Platform
import Sealing

// The senders.
extension World {
    /// - Returns: true if the sender has a bundle that it accepts.
    @discardableResult
    mutating func fetch() -> Bool {
        guard let newest = uploaded.last, let oldest = uploaded.first else { return false }
        let handedOut =
            switch relay {
            case .honest, .withholdsAcknowledgements: newest
            case .fakesAcknowledgements, .handsOutOldest: oldest
            }
        let pins = OnePin(pin)
        do {
            _ = try stage.phone.recipient(
                prekeys[handedOut].bundle.bytes,
                .afterFirstUnlock,
                fetchedAt: Timestamp(milliseconds: now),
                pins: pins,
                now: Timestamp(milliseconds: now)
            )
        } catch {
            return false
        }
        pin = pins.value
        copy = (handedOut, now)
        return true
    }

    /// - Returns: true if the honest sender could.
    mutating func seal(_ protection: ProtectionClass, lifetime: UInt64) throws -> Bool {
        let isOld = copy.map { now - $0.fetchedAt >= 7 * 86_400_000 || now > prekeys[$0.prekey].notAfter } ?? true
        if isOld, !fetch() { return false }
        guard let copy else { return false }
        let recipient = try stage.phone.recipient(
            prekeys[copy.prekey].bundle.bytes,
            protection,
            fetchedAt: Timestamp(milliseconds: copy.fetchedAt),
            pins: OnePin(pin),
            now: Timestamp(milliseconds: now)
        )
        try add(
            protection: protection,
            sentAt: now,
            lifetime: lifetime,
            sealedAt: now,
            prekey: copy.prekey,
            recipient: recipient
        )
        return true
    }

    /// Seals to the newest bundle, whatever its times.
    mutating func sealHostile(_ time: Step.SignedTime) throws {
        guard let newest = uploaded.last else { return }
        let sentAt =
            switch time {
            case .trueTime: now
            case .deviceTime: wall
            case .deviceTimeAndSkew: wall + 299_000
            case .trueTimeAndYear: now + 365 * 86_400_000
            }
        let recipient = try stage.phone.recipient(anyTime: prekeys[newest].bundle)
        try add(
            isHonest: false,
            sentAt: sentAt,
            lifetime: 7 * 86_400_000,
            sealedAt: 0,
            prekey: newest,
            recipient: recipient
        )
    }

    private mutating func add(
        isHonest: Bool = true,
        protection: ProtectionClass = .afterFirstUnlock,
        sentAt: UInt64,
        lifetime: UInt64,
        sealedAt: UInt64,
        prekey: Int,
        recipient: Recipient
    ) throws {
        let prepared = try PreparedMessage(
            Message(body: "\(messages.count)"),
            sentAt: Timestamp(milliseconds: sentAt),
            lifetime: .milliseconds(Int64(lifetime))
        )
        let sealed = try stage.seal(prepared, isHonest, recipient, now: Timestamp(milliseconds: sealedAt))
        messages.append(
            WorldMessage(
                number: messages.count,
                id: prepared.messageID.rawRepresentation,
                isHonest: isHonest,
                protection: protection,
                prekey: prekey,
                sentAt: sentAt,
                expiresAt: sentAt + lifetime,
                push: ["sealed": sealed.sealedField, "trace": sealed.trace.text]
            )
        )
    }
}

/// The pins of a sender that writes to one device.
private final class OnePin: BundlePinStore {
    private let box: Guarded<BundlePin?>

    init(_ pin: BundlePin?) { box = Guarded(pin) }

    var value: BundlePin? { box.withLock { $0 } }

    func update(_ slot: BundlePinSlot, _ change: (BundlePin?) -> BundlePinChange) throws(BundlePinStoreError) {
        box.withLock { pin in
            switch change(pin) {
            case .keep: break
            case .store(let new): pin = new
            case .remove: pin = nil
            }
        }
    }
}
