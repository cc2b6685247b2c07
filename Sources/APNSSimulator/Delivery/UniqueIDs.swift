import APNS
import Platform

/// Ids of pushes: different in every run, and cheap, since each push needs one or two. Not secret.
struct UniqueIDs {
    private var numbers = SplitMix64(seed: UInt64.random(in: 0 ... .max))

    init() {}

    mutating func next() -> APNSID { APNSID(high: numbers.next(), low: numbers.next()) }
}
