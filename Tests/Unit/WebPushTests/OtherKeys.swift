import TestSupport

@testable import WebPush

/// Keys of a subscription that no vector was made for.
enum OtherKeys {
    static func make(seed: UInt64 = 8_291) throws -> WebPushKeys {
        var random = SeededRandom(seed: seed)
        return try WebPushKeys(random: &random)
    }
}
