import CommandLineTool
import Envelope
import Keys
import Sealing

/// Recipients of a process. A bundle's signature is verified once, pins and clock each time.
struct LineRecipients {
    private struct Verified {
        let bundle: [UInt8]
        let slot: BundlePinSlot
        let signed: SignedKeyBundle
    }

    /// Bounds the memory: some 3 KB each.
    private static let countMax = 10_000
    private static let identityByteCountMax = 256
    private static let fileByteCountMax = 16 * 1_024

    private let topic: BundleID
    private let pins: FileBundlePinStore?
    /// By the identity's text.
    private var known: [String: Verified] = [:]

    init(topic: BundleID, pins: FileBundlePinStore?) {
        self.topic = topic
        self.pins = pins
    }

    /// On return the pin of an accepted bundle is durable.
    mutating func recipient(_ named: SealLine.Recipient) throws(LineError) -> Recipient {
        let verified = try verified(named)
        let now = Timestamp.now
        do throws(RecipientError) {
            guard let pins else { return try Recipient(verified.signed, withoutPinsAt: now) }
            return try Recipient(verified.signed, in: verified.slot, fetchedAt: now, pins: pins, now: now)
        } catch {
            throw LineError(error)
        }
    }

    private mutating func verified(_ named: SealLine.Recipient) throws(LineError) -> Verified {
        let identityText = try Self.text(named.identity)
        // Bounded by the bundle, without white space.
        let bundleText = try Self.text(named.bundle).utf8.filter { $0 > 0x20 }
        if let verified = known[identityText], verified.bundle == bundleText { return verified }
        // Its error would say no more.
        let form = "'\(DeviceOwner.textPrefix)…'"
        guard identityText.utf8.count <= Self.identityByteCountMax, let identity = try? IdentityKey(text: identityText)
        else {
            throw LineError(code: "identity", detail: "the identity is no line \(form) with a device's key")
        }
        guard let bundle = Base64URL.decode(bundleText) else {
            throw LineError(code: KeyBundleError.malformed.name, detail: "the bundle is not base64url without padding")
        }
        let verified: Verified
        do throws(KeyBundleError) {
            verified = Verified(
                bundle: bundleText,
                slot: BundlePinSlot(identity: identity, topic: topic),
                signed: try SignedKeyBundle(bundle, pinnedIdentity: identity, topic: topic)
            )
        } catch {
            throw LineError(.bundle(error))
        }
        if known.count >= Self.countMax { known = [:] }
        known[identityText] = verified
        return verified
    }

    private static func text(_ source: SealLine.Source) throws(LineError) -> String {
        switch source {
        case .text(let text): return text
        case .file(let path):
            do throws(FileError) {
                return String(decoding: try WholeFile.read(path, byteCountMax: fileByteCountMax), as: UTF8.self)
            } catch {
                throw LineError(code: "file", detail: error.sentence)
            }
        }
    }
}
