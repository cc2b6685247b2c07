import Envelope
import Keys
import Primitives
import Sealing
import TestSupport
import Testing

/// The bytes of announcements, of strangers until they are verified.
final class SenderAnnouncementTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let topic: BundleID
    private let old: SenderIdentity
    private let new: SenderIdentity

    init() throws {
        var random = SeededRandom(seed: 410)
        topic = try BundleID("com.example.chat")
        old = SenderIdentity(random: &random)
        new = SenderIdentity(random: &random)
    }

    private var announcements: [[UInt8]] {
        [
            old.announcing(successor: new, topic: topic, at: Self.now),
            old.revocation(topic: topic, at: Self.now),
        ]
    }

    @Test func `what was announced is read, and is as long as the document says`() throws {
        let read = try announcements.map { bytes in
            try SenderAnnouncement(verifying: bytes, topic: topic, now: Self.now)
        }
        #expect(read.map(\.sender) == [old.publicKey, old.publicKey])
        #expect(read.map(\.successor) == [new.publicKey, nil])
        #expect(read.map(\.announcedAt) == [Self.now, Self.now])
        #expect(announcements.map(\.count) == [203 + 16, 107 + 16])
    }

    @Test func `any byte changed, cut off or added is refused, and none traps`() {
        for good in announcements {
            for offset in good.indices {
                var bad = good
                bad[offset] ^= 1 << UInt8(offset % 8)
                #expect(refusal(bad) != nil, "byte \(offset)")
            }
            for count in good.indices { #expect(refusal(Array(good.prefix(count))) == .malformed, "\(count) bytes") }
            #expect(refusal(good + [0]) == .malformed)
        }
    }

    @Test func `an announced key that did not sign is refused: nobody gives another's key for an own one`() throws {
        let theirs = SenderIdentity()
        let good = announcements[0]
        var bytes = Array(good[..<59]) + theirs.publicKey.rawRepresentation
        // The old key signs for both, and then a revocation's signature replaces it.
        bytes += old.signature(of: bytes)
        #expect(refusal(bytes + old.signature(of: bytes)) == .badSignature)
    }

    @Test func `neither signature stands for the other, nor for a message's or a bundle's`() throws {
        let good = announcements[0]
        let (head, one, other) = (Array(good[..<91]), Array(good[91..<155]), Array(good[155...]))
        #expect(refusal(head + other + one) == .badSignature)
        #expect(refusal(head + one + one) == .badSignature)
        // A revocation cut out of a succession, and the reverse.
        #expect(refusal([1, 2] + Array(good[2..<59]) + other) == .badSignature)
        for context in ["SealedPush/1 message", "SealedPush/1 bundle", "SealedPush/1"] {
            let content = Array(announcements[1].dropLast(64))
            #expect(refusal(content + old.signature(of: content, context: context)) == .badSignature)
        }
    }

    @Test func `a key that announces itself is malformed`() {
        #expect(refusal(old.announcing(successor: old, topic: topic, at: Self.now)) == .malformed)
    }

    @Test func `an announcement of five minutes ahead is taken, and a later one is not yet`() {
        let inTime = old.revocation(topic: topic, at: Self.now.advanced(by: .seconds(300)))
        #expect(refusal(inTime) == nil)
        let early = old.revocation(topic: topic, at: Self.now.advanced(by: .milliseconds(300_001)))
        #expect(refusal(early) == .notYet)
    }

    private func refusal(_ bytes: [UInt8]) -> SenderAnnouncementError? {
        do throws(SenderAnnouncementError) {
            _ = try SenderAnnouncement(verifying: bytes, topic: topic, now: Self.now)
            return nil
        } catch {
            return error
        }
    }
}

extension SenderIdentity {
    fileprivate func signature(of content: [UInt8], context: String = "SealedPush/1 sender") -> [UInt8] {
        let input = [UInt8(context.utf8.count)] + Array(context.utf8) + content
        let key = withSeed { seed in try? Ed25519PrivateKey(seed: SecretBytes(copying: seed)) }
        return key?.signature(over: input) ?? []
    }
}
