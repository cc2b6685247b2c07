import APNS
import Platform

/// `apns-unique-id`s: different in every run, and cheap: each accepted push needs one. Not secret.
struct UniqueIDs {
    private var numbers = SplitMix64(seed: UInt64.random(in: 0 ... .max))

    init() {}

    mutating func next() -> APNSID {
        let (high, low) = (numbers.next(), numbers.next())
        return APNSID(
            randomBytes: (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * ($0 % 8))) }
        )
    }
}
