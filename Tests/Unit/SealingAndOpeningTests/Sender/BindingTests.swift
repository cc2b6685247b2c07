import Envelope
import HPKE
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Everything that ties a message to its place, altered alone: once in HPKE's binding, once in the signed bytes.
struct BindingTests {
    @Test func `sealed as it should be, a message made by these tests opens`() throws {
        var pair = try Pair(seed: 520)
        let field = try pair.seal(hpke: nil, signature: nil).field
        guard case .opened = pair.opener.outcome(sealedField: field, now: Pair.start) else {
            Issue.record("not opened")
            return
        }
    }

    @Test(arguments: Part.allCases)
    fileprivate func
        `a message under an info with one part altered opens as nothing (protocol v1, rule 1, rule 5, rule 6)`(
            _ part: Part
        ) throws
    {
        var pair = try Pair(seed: 521)
        let field = try pair.seal(hpke: part, signature: nil).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test(arguments: Part.allCases)
    fileprivate func `a signature over an info with one part altered is none (protocol v1, rule 2; abuse case 30)`(
        _ part: Part
    ) throws {
        var pair = try Pair(seed: 522)
        let field = try pair.seal(hpke: nil, signature: part).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test(arguments: [
        "SealedPush/1", "SealedPush/1 prekey", "SealedPush/1 bundle", "SealedPush/1 safety", "SealedPush/1 attachment",
        "SealedPush/2 message", "", "SealedPush/1 message",
    ])
    func `a message signed under another context is malformed`(_ context: String) throws {
        var pair = try Pair(seed: 523)
        let info = try pair.recipient().info
        var frame = pair.frame()
        let rest = info + frame.head + SHA256.hash(frame.body)
        frame.signature = pair.sender.key.signature(over: [UInt8(context.utf8.count)] + Array(context.utf8) + rest)
        let field = try pair.seal(frame: frame, signs: false).field
        let outcome = pair.opener.outcome(sealedField: field, now: Pair.start)
        if context == "SealedPush/1 message" {
            guard case .opened = outcome else {
                Issue.record("not opened")
                return
            }
        } else {
            #expect(outcome == .malformed)
        }
    }

    @Test func `a sender who is a device too: the signature of its bundle is none of a message`() throws {
        var pair = try Pair(seed: 524)
        // One key in both roles, which no device should have.
        let maker = BundleMaker(seed: 525)
        let bundle = try maker.bundle(epoch: 1)
        var frame = pair.frame()
        frame.senderKey = maker.identity.rawRepresentation
        frame.signature = Array(bundle.suffix(64))
        let field = try pair.seal(frame: frame, signs: false).field
        let opener = MessageOpener(
            keyRing: pair.device.keyRing,
            senders: ContactList(people: [SenderKey(maker.identity.key)])
        )
        #expect(opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }
}

/// Parts of `info`; the fingerprint stands for suite, class, identity and key once more.
private enum Part: CaseIterable, Sendable {
    case context, version, suite, prekeyID, topic, topicSuffix, identity, fingerprint, protectionClass, shorter, longer
}

extension Pair {
    /// An honest message, but for one altered part in HPKE's binding or in the signed bytes.
    fileprivate mutating func seal(hpke: Part?, signature: Part?) throws -> Envelope {
        let recipient = try recipient()
        var frame = frame()
        frame.signature = sender.key.signature(
            over: Binding.signatureInput(
                info: try info(altering: signature),
                frameHead: frame.head,
                bodyDigest: SHA256.hash(frame.body)
            )
        )
        let sealed = try HPKE.seal(
            frame.bytes(byteCount: PushClass.alert.frameByteCount(.x25519)),
            to: recipient.prekey.key,
            info: try info(altering: hpke),
            random: &random
        )
        return Envelope(
            pushClass: .alert,
            header: recipient.header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
    }

    private func info(altering part: Part?) throws -> [UInt8] {
        let recipient = try recipient()
        var info = recipient.info
        let topicStart = 13 + 10 + 1
        let identityStart = topicStart + Pair.topic.utf8.count
        switch part {
        case nil: break
        case .context: info[1] ^= 0x20
        case .version: info[13] = 2
        case .suite: info[14] = 2
        case .prekeyID: info[15] ^= 1
        case .topic: info[topicStart] ^= 1
        case .topicSuffix:
            info[topicStart - 1] += 5
            info.insert(contentsOf: Array(".voip".utf8), at: identityStart)
        case .identity: info[identityStart] ^= 1
        case .fingerprint: info[identityStart + 63] ^= 1
        case .protectionClass:
            let other = PublicPrekey(suite: .x25519, protectionClass: .unlocked, key: recipient.prekey.key)
            info.replaceSubrange((identityStart + 32)..., with: other.fingerprint(identity: recipient.identity))
        case .shorter: info.removeLast()
        case .longer: info.append(0)
        }
        return info
    }
}
