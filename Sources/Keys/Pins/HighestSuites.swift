package import Envelope

/// The highest cipher suite that a device ever offered, for each protection class. Suites are bytes here and not
/// `Suite`: what is pinned must stay comparable when a later version knows more of them.
///
/// A higher byte is a better suite. Each class has its own, so that a bundle cannot go back to a lower suite for the
/// class in use and hide that behind a higher one of the other class.
package struct HighestSuites: Hashable, Sendable {
    /// What one entry of a bundle offers.
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

    /// The place of the entry to seal to: the highest suite of the class. nil where the class is not offered; another
    /// class is no substitute.
    package static func index(of protectionClass: ProtectionClass, in offers: [Offer]) -> Int? {
        offers.indices.filter { offers[$0].protectionClass == protectionClass }.max {
            offers[$0].suite < offers[$1].suite
        }
    }

    /// The first class that is still offered, and lower than before. A class that went away altogether is none: nothing
    /// can be sealed to it.
    package func downgrade(from earlier: HighestSuites) -> (from: UInt8, to: UInt8)? {
        for (now, before) in [(afterFirstUnlock, earlier.afterFirstUnlock), (unlocked, earlier.unlocked)]
        where now != 0 && now < before {
            return (from: before, to: now)
        }
        return nil
    }

    /// Class by class the higher of both: a class that goes away and comes back is held to what it was.
    package func merged(with earlier: HighestSuites) -> HighestSuites {
        HighestSuites(
            afterFirstUnlock: max(afterFirstUnlock, earlier.afterFirstUnlock),
            unlocked: max(unlocked, earlier.unlocked)
        )
    }
}
