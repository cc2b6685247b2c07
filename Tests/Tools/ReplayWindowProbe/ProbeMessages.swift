package import Envelope
package import Keys
package import Opening
import Primitives
import TestSupport

/// Messages that two processes can name by a number.
package enum ProbeMessages {
    /// 2027-01-15 08:00 UTC.
    package static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// The same key for the same number, in every process.
    package static func sender(_ number: UInt64) -> SenderKey {
        var random = SeededRandom(seed: 0x5E_4D_E4 &+ number)
        return SenderKey(Ed25519PrivateKey(random: &random).publicKey)
    }

    package static func id(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.append(bigEndian: number)
        return bytes
    }

    /// Sent at `now`; the higher its number, the later it expires, by a millisecond each from an hour on.
    package static func stamp(_ number: UInt64, from sender: SenderKey) -> MessageStamp {
        MessageStamp(
            sender: sender,
            messageID: id(number),
            sentAt: now,
            expiresAt: Timestamp(milliseconds: now.milliseconds + 3_600_000 + number)
        )
    }
}
