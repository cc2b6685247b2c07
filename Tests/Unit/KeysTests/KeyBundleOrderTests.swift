import Envelope
import Primitives
import Testing

@testable import Keys

/// The reported one of two faults: the order in docs/protocol.md. A key change, for instance, must never hide behind an
/// expired prekey.
struct KeyBundleOrderTests {
    @Test(arguments: Fault.pairs)
    fileprivate func `of two faults the one that is checked first is told (abuse case 29)`(_ pair: Pair) {
        let device = Device(seed: 120)
        let other = Device(seed: 121)
        let otherIdentity = other.key.publicKey.rawRepresentation
        let refusal = device.refusal(classes: [1, 2], pin: Fault.pin(pair.first, pair.second)) { bundle in
            pair.second.apply(to: &bundle, otherIdentity: otherIdentity)
            pair.first.apply(to: &bundle, otherIdentity: otherIdentity)
        }
        #expect(refusal == pair.first.expected)
    }

    @Test(arguments: Fault.allCases)
    fileprivate func `each of these faults is told when it is alone`(_ fault: Fault) {
        let device = Device(seed: 122)
        let other = Device(seed: 123)
        let otherIdentity = other.key.publicKey.rawRepresentation
        let refusal = device.refusal(classes: [1, 2], pin: Fault.pin(fault)) {
            fault.apply(to: &$0, otherIdentity: otherIdentity)
        }
        #expect(refusal == fault.expected)
    }
}

private struct Pair: Sendable, CustomTestStringConvertible {
    let first: Fault
    let second: Fault

    var testDescription: String { "\(first) before \(second)" }
}

/// In the order of the checks. Faults in time are the last entry's and the low-order key is the first one's, so that no
/// entry is finished before the next one is checked.
private enum Fault: CaseIterable, Sendable {
    case version, identity, topic, suite, signature, order, rollback, equivocation, downgrade, validity, notYetValid
    case lowOrder

    static var pairs: [Pair] {
        allCases.enumerated().flatMap { index, first in
            allCases.dropFirst(index + 1).map { Pair(first: first, second: $0) }
        }
    }

    /// A pin under which the faults appear: without any, of the bundle before this one.
    static func pin(_ faults: Fault...) -> BundlePin {
        let epoch: UInt64 = faults.contains(.rollback) ? 8 : faults.contains(.equivocation) ? 7 : 6
        return BundlePin(
            epoch: epoch,
            digest: [UInt8](repeating: 0, count: 32),
            highestSuites: HighestSuites(afterFirstUnlock: 1, unlocked: faults.contains(.downgrade) ? 2 : 1),
            issuedAt: BundleBytes.now,
            fetchedAt: BundleBytes.now
        )
    }

    var expected: KeyBundleError {
        switch self {
        case .version: .unsupportedVersion(2)
        case .identity: .otherIdentity
        case .topic: .otherTopic
        case .suite: .unsupportedSuite(9)
        case .signature: .badSignature
        case .order: .malformed
        case .rollback: .rolledBack(epoch: 7, pinnedEpoch: 8)
        case .equivocation: .equivocation(epoch: 7)
        case .downgrade: .suiteDowngrade(from: 2, to: 1)
        case .validity: .validityTooLong
        case .notYetValid: .notYetValid(from: BundleBytes.now.advanced(by: .seconds(86_400)))
        case .lowOrder: .lowOrderPrekey
        }
    }

    func apply(to bundle: inout BundleBytes, otherIdentity: [UInt8]) {
        switch self {
        case .version: bundle.version = 2
        case .identity: bundle.identity = otherIdentity
        case .topic: bundle.topic[0] ^= 1
        case .suite: bundle.entries[1].suite = 9
        case .signature: bundle.changesSignature = true
        case .order: bundle.entries.swapAt(0, 1)
        // These lie in the pin.
        case .rollback, .equivocation, .downgrade: break
        case .validity: bundle.entries[1].notAfter = bundle.entries[1].notBefore + 60 * BundleBytes.day + 1
        case .notYetValid: bundle.entries[1].notBefore = BundleBytes.now.milliseconds + BundleBytes.day
        case .lowOrder: bundle.entries[0].key = [UInt8](repeating: 0, count: 32)
        }
    }
}
