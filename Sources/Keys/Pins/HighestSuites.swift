package import Envelope

/// Highest suite that a device ever offered, per protection class: a lower one of one class cannot hide behind a higher
/// one of the other. Bytes, the higher the better, keep pins comparable with later versions.
package struct HighestSuites: Hashable, Sendable {
    /// Offer of a bundle's entry.
    package struct Offer: Hashable, Sendable {
        package let suite: UInt8
        package let protectionClass: ProtectionClass

        package init(suite: UInt8, protectionClass: ProtectionClass) {
            self.suite = suite
            self.protectionClass = protectionClass
        }
    }

    /// 0: never offered.
    package private(set) var afterFirstUnlock: UInt8
    /// 0: never offered.
    package private(set) var unlocked: UInt8

    package static let none = HighestSuites(afterFirstUnlock: 0, unlocked: 0)

    package init(afterFirstUnlock: UInt8, unlocked: UInt8) {
        self.afterFirstUnlock = afterFirstUnlock
        self.unlocked = unlocked
    }

    package init(of offers: [Offer]) {
        func highest(_ protectionClass: ProtectionClass) -> UInt8 {
            offers.filter { $0.protectionClass == protectionClass }.map(\.suite).max() ?? 0
        }
        self.init(afterFirstUnlock: highest(.afterFirstUnlock), unlocked: highest(.unlocked))
    }

    /// Index of the class's highest suite; nil without one: another class is no substitute.
    package static func index(of protectionClass: ProtectionClass, in offers: [Offer]) -> Int? {
        offers.indices.filter { offers[$0].protectionClass == protectionClass }.max {
            offers[$0].suite < offers[$1].suite
        }
    }

    /// First class with a lower suite. A dropped class does not count: nothing is sealed to it.
    package func downgrade(from earlier: HighestSuites) -> (from: UInt8, to: UInt8)? {
        for (now, before) in [(afterFirstUnlock, earlier.afterFirstUnlock), (unlocked, earlier.unlocked)]
        where now != 0 && now < before {
            return (from: before, to: now)
        }
        return nil
    }

    /// Maximum per class: one that returns is held to its past.
    package func merged(with earlier: HighestSuites) -> HighestSuites {
        HighestSuites(
            afterFirstUnlock: max(afterFirstUnlock, earlier.afterFirstUnlock),
            unlocked: max(unlocked, earlier.unlocked)
        )
    }
}
