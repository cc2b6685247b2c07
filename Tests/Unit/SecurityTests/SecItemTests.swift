import Foundation
import KeychainStyleHelper
import Platform
import Security
import Testing

/// The keychain's functions, as code that calls Apple's finds them.
struct SecItemTests {
    /// One keychain serves the whole process: each test has a service of its own.
    private let service = UUID().uuidString
    private let secret = Data("secret".utf8)

    @Test func `tutorial code saves, reads, replaces and deletes`() throws {
        let keychain = KeychainHelper.standard
        #expect(keychain.read(service: service, account: "a") == nil)
        try keychain.save(secret, service: service, account: "a")
        #expect(keychain.read(service: service, account: "a") == secret)
        try keychain.save(Data("other".utf8), service: service, account: "a")
        #expect(try keychain.readBoth(service: service, account: "a") == ("a", Data("other".utf8)))
        #expect(keychain.delete(service: service, account: "a") == errSecSuccess)
        #expect(keychain.delete(service: service, account: "a") == errSecItemNotFound)
        #expect(throws: KeychainHelperError.unhandledError(status: errSecItemNotFound)) {
            try keychain.readBoth(service: service, account: "a")
        }
    }

    @Test func `an item is added once`() {
        #expect(add("a") == errSecSuccess)
        #expect(add("a") == errSecDuplicateItem)
        #expect(add("b") == errSecSuccess)
    }

    @Test(arguments: [
        (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, [SimulatedDevice.Lock.locked, .unlocked]),
        (kSecAttrAccessibleAfterFirstUnlock, [.locked, .unlocked]),
        (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.unlocked]), (kSecAttrAccessibleWhenUnlocked, [.unlocked]),
        (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.unlocked]), (nil, [.unlocked]),
    ])
    func `an item is read when its class allows it`(_ accessible: String?, _ readable: [SimulatedDevice.Lock]) {
        #expect(add("a", accessible: accessible) == errSecSuccess)
        for lock in SimulatedDevice.Lock.allCases {
            let status = on(lock) { read("a").status }
            #expect(status == (readable.contains(lock) ? errSecSuccess : errSecInteractionNotAllowed))
        }
    }

    @Test func `a locked device writes no item that it could not read, and deletes any`() {
        #expect(on(.locked) { add("a") } == errSecInteractionNotAllowed)
        #expect(add("a") == errSecSuccess)
        let change = [kSecValueData: Data()] as CFDictionary
        #expect(on(.locked) { SecItemUpdate(query("a") as CFDictionary, change) } == errSecInteractionNotAllowed)
        #expect(on(.locked) { SecItemDelete(query("a") as CFDictionary) } == errSecSuccess)
    }

    @Test func `attributes come from a locked item, and secrets from all of them or none`() throws {
        #expect(add("a") == errSecSuccess)
        #expect(add("b", accessible: kSecAttrAccessibleAfterFirstUnlock) == errSecSuccess)
        var all = query(nil)
        all[kSecMatchLimit] = kSecMatchLimitAll
        all[kSecReturnAttributes] = true
        let (status, result) = on(.locked) { copy(all) }
        let items = try #require(result as? [[String: Any]])
        #expect(status == errSecSuccess && items.count == 2 && items[0][kSecValueData] == nil)
        #expect(items.compactMap { $0[kSecAttrAccount] as? String } == ["a", "b"])
        all[kSecReturnData] = true
        #expect(on(.locked) { copy(all).status } == errSecInteractionNotAllowed)
        #expect((copy(all).result as? [[String: Any]])?.compactMap { $0[kSecValueData] as? Data } == [secret, secret])
    }

    @Test func `an item of another group is not found`() {
        var item = query("a")
        item[kSecAttrAccessGroup] = "TEAM.app"
        item[kSecValueData] = secret
        #expect(SecItemAdd(item, nil) == errSecSuccess)
        item[kSecValueData] = nil
        item[kSecAttrAccessGroup] = "TEAM.other"
        #expect(copy(item).status == errSecItemNotFound)
    }

    @Test func `the secret is kept, not the caller's memory`() {
        var bytes: [UInt8] = [1, 2, 3]
        let status = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            let lent = unsafe CFDataCreateWithBytesNoCopy(nil, bytes.baseAddress, bytes.count, kCFAllocatorNull)
            var item = query("a")
            item[kSecValueData] = lent
            defer { unsafe bytes.update(repeating: 9) }
            return SecItemAdd(item, nil)
        }
        #expect(status == errSecSuccess && read("a").result as? Data == Data([1, 2, 3]))
    }

    @Test(
        arguments: [
            ([:], errSecParam), ([kSecClass: kSecClassKey], errSecUnimplemented),
            ([kSecClass: kSecClassGenericPassword, kSecReturnRef: true], errSecUnimplemented),
            ([kSecClass: kSecClassGenericPassword, kSecMatchLimit: -1], errSecParam),
            ([kSecClass: kSecClassGenericPassword, kSecMatchLimit: "some"], errSecParam),
        ] as [([String: any Sendable], OSStatus)]
    )
    func `a query that makes no sense says so`(_ query: [String: any Sendable], _ status: OSStatus) {
        #expect(copy(query).status == status)
    }

    @Test func `random bytes are of the length that was asked for, and differ`() throws {
        let bytes = try [KeychainHelper.randomBytes(32), KeychainHelper.randomBytes(32)].map { try #require($0) }
        #expect(bytes[0].count == 32 && bytes[0] != bytes[1])
        var none: UInt8 = 7
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &none) == errSecParam && none == 7)
    }

    private func query(_ account: String?) -> [String: Any] {
        var query: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let account { query[kSecAttrAccount] = account }
        return query
    }

    private func add(_ account: String, accessible: String? = nil) -> OSStatus {
        var item = query(account)
        item[kSecValueData] = secret
        if let accessible { item[kSecAttrAccessible] = accessible }
        return SecItemAdd(item, nil)
    }

    private func read(_ account: String) -> (status: OSStatus, result: AnyObject?) {
        var query = query(account)
        query[kSecReturnData] = true
        return copy(query)
    }

    private func copy(_ query: [String: Any]) -> (status: OSStatus, result: AnyObject?) {
        var result: AnyObject?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }

    private func on<Result>(_ lock: SimulatedDevice.Lock, _ body: () -> Result) -> Result {
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
}
