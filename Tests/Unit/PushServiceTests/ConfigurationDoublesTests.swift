import Envelope
import ServiceParts
import TestSupport
import Testing

@testable import PushService

/// Entries that a configuration may hold once only, and the largest number of keys.
struct ConfigurationDoublesTests {
    @Test func `two keys with one hash are refused, whichever tenants' they are`() throws {
        let faults = ExampleConfiguration.faults(
            replacing: ExampleConfiguration.otherHash,
            with: ExampleConfiguration.hash
        )
        let one = "/tenants/0/keys/1/hash: the same as /tenants/0/keys/0/hash; make a key for each"
        #expect(faults == ["13:35: \(one)"])
        let both = try Self.faultsOfTwins(id: "other")
        #expect(both.map(\.pointer) == ["/tenants/1/keys/0/hash", "/tenants/1/keys/1/hash"])
        #expect(both.allSatisfy { $0.problem.hasSuffix("; make a key for each") })
    }

    @Test func `two tenants with one id are refused, although one of them has another fault`() throws {
        let faults = try Self.faultsOfTwins(id: "acme", quota: "0").filter { $0.pointer.hasSuffix("/id") }
        #expect(faults.map(\.pointer) == ["/tenants/1/id"])
        #expect(faults.first?.problem == "the same as /tenants/0/id; give each tenant its own")
    }

    /// Of the example with its tenant twice, the second time with another id and quota.
    private static func faultsOfTwins(id: String, quota: String = "5000") throws -> [ConfigurationError] {
        let text = ExampleConfiguration.text
        let start = try #require(text.firstRange(of: #""tenants": ["#)).upperBound
        let tenant = String(text[start...].dropLast("\n  ]\n}".count))
        var other = tenant.split(separator: #""id": "acme""#).joined(separator: #""id": "\#(id)""#)
        other = other.split(separator: "5000").joined(separator: quota)
        let file = Array((text[..<start] + tenant + "," + other + "]}").utf8)
        return refusal { () throws(ConfigurationErrors) in _ = try ServiceConfiguration(file: file) }?.faults ?? []
    }

    @Test func `as many keys as the table of keys has rows are taken, and one tenant more is a fault and no trap`()
        throws
    {
        let most = Self.file(tenantCount: AccessTable.rowCountMax / 64)
        _ = try ServiceConfiguration(file: most).accessTable
        let more = Self.file(tenantCount: AccessTable.rowCountMax / 64 + 1)
        let error = refusal { () throws(ConfigurationErrors) in _ = try ServiceConfiguration(file: more) }
        #expect(error?.faults.map(\.pointer) == ["/tenants"])
        #expect(error?.faults.first?.problem == "more than 4096 keys in all; remove those not in use")
    }

    private static func file(tenantCount: Int) -> [UInt8] {
        let app =
            #"{"bundle-id":"com.example.chat","environment":"production","placeholder":{"loc-key":"SP"},"#
            + #""credential":{"key-file":"/a","key-id":"ABCDE12345","team-id":"TEAM123456"}}"#
        let tenants = (0..<tenantCount).map { tenant in
            let keys = (0..<64).map { key in
                let hash = APIKeyHash(of: Array("\(tenant) \(key)".utf8)).text
                return #"{"name":"k\#(key)","hash":"\#(hash)","scopes":["send"]}"#
            }
            return #"{"id":"t\#(tenant)","keys":[\#(keys.joined(separator: ","))],"apps":[\#(app)]}"#
        }
        let text =
            #"{"listen":[{"address":"::1","port":0}],"tls":{"certificate-file":"/c","key-file":"/k"},"#
            + #""database-file":"/d","token-key-file":"/t","tenants":[\#(tenants.joined(separator: ","))]}"#
        return Array(text.utf8)
    }
}
