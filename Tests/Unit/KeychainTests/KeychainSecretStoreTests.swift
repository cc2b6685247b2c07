import Envelope
import Foundation
import Keys
import Platform
import Primitives
import Security
import TestSupport
import Testing

@testable import Opening

/// The store that a phone uses, against the stand-in for Apple's keychain: its calls, their order and its errors.
///
/// Only Apple's own keychain can show its encryption and its restore from a backup.
struct KeychainSecretStoreTests {
    /// One keychain serves the whole process: each test has a service of its own.
    private let service = UUID().uuidString

    private var store: KeychainSecretStore { KeychainSecretStore(service: service, accessGroup: "TEAM.shared") }

    @Test func `a record comes back, is replaced whole, and is gone when deleted (abuse case 106)`() throws {
        #expect(error(.ring) == .notFound)
        try write([1, 2, 3], to: .ring, .afterFirstUnlock)
        #expect(try read(.ring) == [1, 2, 3])
        try write([UInt8](repeating: 9, count: 16_384), to: .ring, .unlocked)
        #expect(try read(.ring).count == 16_384)
        try store.delete(.ring)
        #expect(error(.ring) == .notFound)
        try store.delete(.ring)
    }

    @Test(arguments: SimulatedDevice.Lock.allCases, [ProtectionClass.afterFirstUnlock, .unlocked])
    func `a record is readable and writable as its class says, and otherwise locked (abuse case 106)`(
        _ lock: SimulatedDevice.Lock,
        _ protection: ProtectionClass
    ) throws {
        let expected: [SimulatedDevice.Lock: [ProtectionClass]] = [
            .beforeFirstUnlock: [], .locked: [.afterFirstUnlock], .unlocked: [.afterFirstUnlock, .unlocked],
        ]
        let isPermitted = expected[lock, default: []].contains(protection)
        try write([7], to: .ring, protection)
        #expect(on(lock) { error(.ring) } == (isPermitted ? nil : .locked))
        let refused = on(lock) {
            refusal { () throws(SecretStoreError) in try write([8], to: .ring, protection) }
        }
        #expect(refused == (isPermitted ? nil : .locked))
        #expect(try read(.ring) == [isPermitted ? 8 : 7])
    }

    @Test func `a record of another access group is not found (abuse case 106)`() throws {
        try write([1], to: .identity, .afterFirstUnlock)
        let other = KeychainSecretStore(service: service, accessGroup: "TEAM.other")
        let found = refusal { () throws(SecretStoreError) in _ = try other.read(.identity) }
        #expect(found == .notFound)
        #expect(try other.names() == [])
    }

    @Test func `an item that holds nothing is damaged (abuse case 106)`() throws {
        try write([1], to: .ring, .afterFirstUnlock)
        let query: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        #expect(SecItemUpdate(query, [kSecValueData: Data()]) == errSecSuccess)
        #expect(error(.ring) == .damaged)
    }

    @Test func `names are those of records, locked ones too, and of nothing else in the group`() throws {
        #expect(try store.names() == [])
        try write([1], to: .identity, .unlocked)
        try write([2], to: .ring, .afterFirstUnlock)
        let other: [String: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "somebody else's",
            kSecAttrAccessGroup: "TEAM.shared", kSecValueData: Data([1]),
        ]
        #expect(SecItemAdd(other, nil) == errSecSuccess)
        let names = try on(.locked) { Result { try store.names() } }.get()
        #expect(Set(names) == [.identity, .ring])
    }

    private func write(_ bytes: [UInt8], to name: RecordName, _ protection: ProtectionClass) throws(SecretStoreError) {
        let secret = SecretBytes(byteCount: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
        try secret.withBytes { span throws(SecretStoreError) in
            try store.write(span, to: name, protection: protection)
        }
    }

    private func read(_ name: RecordName) throws(SecretStoreError) -> [UInt8] {
        let secret = try store.read(name)
        return secret.withBytes { [UInt8](copying: $0) }
    }

    private func error(_ name: RecordName) -> SecretStoreError? {
        refusal { () throws(SecretStoreError) in _ = try read(name) }
    }
}

func on<Result>(_ lock: SimulatedDevice.Lock, _ body: () -> Result) -> Result {
    var conditions = SimulatedDevice.Conditions()
    conditions.lock = lock
    let device = SimulatedDevice(
        appGroupsPath: nil,
        clock: ContinuousClock(),
        wallClock: { 0 },
        conditions: conditions
    )
    return device.run { body() }
}
