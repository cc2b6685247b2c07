import APNS
import Envelope
import PushStore
import TestSupport
import Testing

@testable import PushService

struct AccessTests {
    private static func table(_ count: Int, _ random: inout SeededRandom) -> (table: AccessTable, keys: [String]) {
        let made = (0..<count).map { _ in APIKey.make(random: &random) }
        let rows = made.enumerated().map { index, key in
            (hash: key.hash, grant: Grant(tenant: .named("t\(index)"), keyName: "k", scopes: Scopes([.send])))
        }
        return (AccessTable(rows), made.map(\.text))
    }

    @Test func `each key finds its own grant, first and last too`() {
        var random = SeededRandom(seed: 1)
        let (table, keys) = Self.table(300, &random)
        for (index, key) in keys.enumerated() { #expect(table.grant(for: Array(key.utf8))?.tenant.text == "t\(index)") }
    }

    @Test func `a hash that differs in one bit from a key's is another key's (abuse case 86)`() throws {
        var random = SeededRandom(seed: 5)
        let key = APIKey.make(random: &random)
        let grant = Grant(tenant: .named("t"), keyName: "k", scopes: Scopes([.send]))
        #expect(AccessTable([(hash: key.hash, grant: grant)]).grant(for: Array(key.text.utf8)) == grant)
        for bit in 0..<8 * APIKeyHash.byteCount {
            var bytes = key.hash.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let other = try #require(APIKeyHash(text: Base64URL.string(bytes)))
            #expect(AccessTable([(hash: other, grant: grant)]).grant(for: Array(key.text.utf8)) == nil, "\(bit)")
        }
    }

    @Test func `a key with any bit changed finds nothing (abuse case 86)`() {
        var random = SeededRandom(seed: 2)
        let (table, keys) = Self.table(3, &random)
        let key = Array(keys[1].utf8)
        for position in key.indices {
            for bit in 0..<8 {
                var changed = key
                changed[position] ^= 1 << UInt8(bit)
                #expect(table.grant(for: changed) == nil)
            }
        }
        for length in 0..<key.count { #expect(table.grant(for: Array(key[..<length])) == nil) }
        #expect(AccessTable([]).grant(for: key) == nil)
    }

    @Test func `hashes that begin alike are each their own key's (abuse case 86)`() throws {
        let hashes = try (0..<4).map { last in
            try #require(APIKeyHash(text: Base64URL.string([UInt8](repeating: 7, count: 31) + [UInt8(last)])))
        }
        let rows = hashes.dropLast().enumerated().map { index, hash in
            (hash: hash, grant: Grant(tenant: .named("t\(index)"), keyName: "k", scopes: Scopes([])))
        }
        let table = AccessTable(rows)
        #expect(hashes.map { table.grant(of: $0)?.tenant.text } == ["t0", "t1", "t2", nil])
    }

    @Test func `tenants that share an app do not meet in the tables of apps`() throws {
        let tenants = (0..<1_000).map { TenantID.named("t\($0)") }
        let app = try BundleID("com.example.chat")
        let quarantines = tenants.map { TokenQuarantine.Place(tenant: $0, bundleID: app, environment: .sandbox) }
        let plans = tenants.map { CredentialPlan.Place(tenant: $0, bundleID: app, environment: .sandbox) }
        let rates = tenants.map { DeliveryRates.Row(tenant: $0, app: "com.example.chat", region: "CH") }
        #expect(Set(quarantines.map(\.hashValue)).count == tenants.count)
        #expect(Set(plans.map(\.hashValue)).count == tenants.count)
        #expect(Set(rates.map(\.hashValue)).count == tenants.count)
    }

    @Test func `a hash that is there twice is the later grant's, and nobody else's`() {
        let hash = APIKeyHash(of: Array("one".utf8))
        let rows = (0..<5).map {
            (hash: hash, grant: Grant(tenant: .named("t\($0)"), keyName: "k", scopes: Scopes([])))
        }
        #expect(AccessTable(rows).grant(for: Array("one".utf8))?.tenant.text == "t4")
    }

    @Test func `a key has its prefix, 256 bits, and no other spelling`() {
        var random = SeededRandom(seed: 3)
        let key = APIKey.make(random: &random)
        #expect(key.text.hasPrefix("spk_") && key.text.utf8.count == APIKey.characterCount)
        #expect(APIKey.isWellFormed(Array(key.text.utf8)))
        #expect(!APIKey.isWellFormed(Array((key.text + "=").utf8)))
        #expect(APIKeyHash(text: key.hash.text) == key.hash)
        #expect(key.text != APIKey.make(random: &random).text)
    }

    @Test(arguments: [
        ("Bearer spk_x", "spk_x"), ("bearer spk_x", "spk_x"), ("BEARER spk_x", "spk_x"), ("Bearer", nil),
        ("Bearer ", nil), ("Bearer  spk_x", nil), ("Bearer a b", nil), ("Basic spk_x", nil), ("spk_x", nil), ("", nil),
        ("Bearer a\u{0}b", nil), ("Bearer a\r\nb", nil), ("Bearer \u{e9}", nil),
    ])
    func `only one word behind bearer is a key`(_ example: (field: String, key: String?)) {
        #expect(APIKey.bearer(example.field).map { String(decoding: $0, as: UTF8.self) } == example.key)
    }

    @Test func `a token of another kind is no key, whatever its header claims (abuse case 52)`() {
        var random = SeededRandom(seed: 4)
        let (table, _) = Self.table(3, &random)
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"HS256","kid":"../../etc/passwd"}"#, #"{"alg":"ES256","crit":["x"]}"#,
        ] {
            let token = Base64URL.string(Array(header.utf8)) + "." + Base64URL.string(Array("{}".utf8)) + "."
            let word = APIKey.bearer("Bearer \(token)")
            #expect(word.flatMap { table.grant(for: $0) } == nil)
        }
        #expect(APIKey.bearer("Bearer " + String(repeating: "a", count: 10_000)) == nil)
    }

    @Test func `a scope is granted alone`() {
        for scope in Scope.allCases {
            let scopes = Scopes([scope])
            #expect(Scope.allCases.filter { scopes.contains($0) } == [scope])
        }
    }
}

struct RateLimiterTests {
    private typealias Limiter = RateLimiter<String>
    private static let second: Int64 = 1_000_000_000

    @Test func `a burst goes at once, and then one for each interval`() {
        var limiter = Limiter(keyCountMax: 10)
        let rate = Limiter.Rate(perSecond: 2, burst: 3)
        for _ in 0..<3 { #expect(limiter.take(of: "a", rate: rate, now: 0) == nil) }
        #expect(limiter.take(of: "a", rate: rate, now: 0) == .milliseconds(500))
        #expect(limiter.take(of: "a", rate: rate, now: Self.second / 2) == nil)
        #expect(limiter.take(of: "a", rate: rate, now: Self.second / 2) == .milliseconds(500))
        #expect(limiter.take(of: "b", rate: rate, now: 0) == nil)
    }

    @Test func `what is refused takes nothing`() {
        var limiter = Limiter(keyCountMax: 10)
        let rate = Limiter.Rate(perSecond: 1, burst: 2)
        #expect(limiter.take(2, of: "a", rate: rate, now: 0) == nil)
        for _ in 0..<1_000 { #expect(limiter.take(of: "a", rate: rate, now: 0) != nil) }
        #expect(limiter.take(of: "a", rate: rate, now: Self.second) == nil)
        #expect(limiter.take(3, of: "new", rate: rate, now: 0) != nil)
    }

    @Test func `over a long time the rate is what was promised`() {
        var limiter = Limiter(keyCountMax: 10)
        let rate = Limiter.Rate(perSecond: 10, burst: 5)
        var taken = 0
        for step in 0..<100_000 where limiter.take(of: "a", rate: rate, now: Int64(step) * 1_000_000) == nil {
            taken += 1
        }
        #expect((1_000...1_005).contains(taken))
    }

    @Test
    func `a crowd of new keys neither grows the table nor escapes, and known keys keep their own (abuse case 90)`() {
        var limiter = Limiter(keyCountMax: 100)
        let rate = Limiter.Rate(perSecond: 1, burst: 10)
        #expect(limiter.take(of: "known", rate: rate, now: 0) == nil)
        var taken = 0
        for index in 0..<100_000 where limiter.take(of: "k\(index)", rate: rate, now: 0) == nil { taken += 1 }
        #expect(limiter.keyCount == 100)
        #expect(taken == 99 + 10)
        #expect(limiter.take(of: "known", rate: rate, now: 0) == nil)
    }

    @Test func `keys at rest make room`() {
        var limiter = Limiter(keyCountMax: 10)
        let rate = Limiter.Rate(perSecond: 1, burst: 1)
        for index in 0..<10 { #expect(limiter.take(of: "k\(index)", rate: rate, now: 0) == nil) }
        #expect(limiter.take(of: "late", rate: rate, now: 2 * Self.second) == nil)
        #expect(limiter.keyCount == 1)
    }

    @Test func `a device that is slowed down waits, and the others do not`() {
        var bucket = DeviceBucket(perMinute: 60, burst: 5, deviceCountMax: 100)
        let device = DeviceBucket.Key(shardHash: 1)
        bucket.slowDown(device, for: .seconds(30), now: 0)
        #expect(bucket.wait(for: device, now: 0) != nil)
        #expect(bucket.wait(for: device, now: 29 * Self.second) != nil)
        #expect(bucket.wait(for: device, now: 31 * Self.second) == nil)
        #expect(bucket.wait(for: DeviceBucket.Key(shardHash: 2), now: 0) == nil)
    }
}

struct DailyQuotaTests {
    private static let day: Int64 = 86_400

    @Test func `a quota ends, and begins anew with the day of UTC (abuse case 90)`() {
        var quota = DailyQuota()
        let noon = 20_000 * Self.day + Self.day / 2
        #expect(quota.take(9, of: .named("a"), max: 10, unixSeconds: noon) == nil)
        #expect(quota.take(2, of: .named("a"), max: 10, unixSeconds: noon) == Self.day / 2)
        #expect(quota.take(1, of: .named("a"), max: 10, unixSeconds: noon) == nil)
        #expect(quota.take(1, of: .named("b"), max: 10, unixSeconds: noon) == nil)
        #expect(quota.take(10, of: .named("a"), max: 10, unixSeconds: noon + Self.day) == nil)
    }

    @Test func `a clock that goes back an hour over midnight gives no quota twice (abuse case 98)`() {
        var quota = DailyQuota()
        let midnight = 20_000 * Self.day
        #expect(quota.take(10, of: .named("a"), max: 10, unixSeconds: midnight + 60) == nil)
        #expect(quota.take(1, of: .named("a"), max: 10, unixSeconds: midnight - 3_600) != nil)
        #expect(quota.take(1, of: .named("a"), max: 10, unixSeconds: midnight - 3_600 + 10 * 365 * Self.day) == nil)
        #expect(quota.take(1, of: .named("a"), max: 10, unixSeconds: midnight) == nil)
    }

    @Test func `its room is what is taken from it, to the last and on the next day`() {
        var quota = DailyQuota()
        #expect(quota.room(of: .named("a"), max: 10, unixSeconds: 0) == 10)
        #expect(quota.take(7, of: .named("a"), max: 10, unixSeconds: 0) == nil)
        #expect(quota.room(of: .named("a"), max: 10, unixSeconds: 0) == 3)
        // Lowered by a reload.
        #expect(quota.room(of: .named("a"), max: 5, unixSeconds: 0) < 0)
        #expect(quota.room(of: .named("a"), max: 10, unixSeconds: Self.day) == 10)
    }

    @Test func `what could not be stored is given back`() {
        var quota = DailyQuota()
        #expect(quota.take(10, of: .named("a"), max: 10, unixSeconds: 0) == nil)
        quota.giveBack(4, of: .named("a"))
        #expect(quota.take(4, of: .named("a"), max: 10, unixSeconds: 0) == nil)
        #expect(quota.take(1, of: .named("a"), max: 10, unixSeconds: 0) != nil)
    }
}
