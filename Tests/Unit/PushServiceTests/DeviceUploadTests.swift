import APNS
import Envelope
import PushStorePattern
import ServiceParts
import Testing

@testable import PushService

struct DeviceUploadTests {
    private static let token = String(repeating: "aB", count: 32)

    private func read(_ members: [String: String], bundle: [UInt8]? = nil) throws -> DeviceUpload {
        var all = [
            "token": "\"\(Self.token)\"", "topic": "\"com.example.chat\"", "environment": "\"sandbox\"",
            "bundle": "\"\(Base64URL.string(try bundle ?? SignedBundle.bytes()))\"",
        ]
        all.merge(members) { $1 }
        let json =
            "{" + all.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let limits = JSONParser.Limits(byteCountMax: 100_000, depthMax: 8, allowsFractions: false)
        return try DeviceUpload(JSONParser.parse(Array(json.utf8), limits: limits))
    }

    private func problem(_ members: [String: String], bundle: [UInt8]? = nil) -> Problem? {
        do {
            _ = try read(members, bundle: bundle)
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test func `a device is read with all that it says`() throws {
        let upload = try read([
            "language": "\"zh-Hant-TW\"", "region": "\"TW\"", "app-version": "\"4.1.0-b+7\"", "voip-token": "\"00ff\"",
        ])
        #expect(upload.token.bytes == Array(repeating: 0xAB, count: 32))
        #expect(upload.voIPToken?.bytes == [0, 0xFF])
        #expect(upload.environment == .sandbox)
        #expect(upload.keyBundle == (try SignedBundle.bytes()))
        #expect(upload.language == "zh-Hant-TW" && upload.region == "TW" && upload.appVersion == "4.1.0-b+7")
        #expect(try read([:]).language == nil)
    }

    @Test func `one token has one value, in whatever case its digits are (abuse case 16)`() throws {
        let upper = try read(["token": "\"\(Self.token.uppercased())\""])
        #expect(upper.token == (try read([:]).token))
        #expect(try read(["token": "\"\(String(repeating: "0", count: 1_024))\""]).token.bytes.count == 512)
    }

    @Test(arguments: ["", "a", "abc", "zz", "\u{0661}\u{0662}", "ab ", "0xab", String(repeating: "a", count: 10_240)])
    func `what is no token is refused and not repeated (abuse case 16)`(_ token: String) {
        let problem = problem(["token": "\"\(token)\""])
        #expect(problem?.fields.map(\.pointer) == ["/token"])
    }

    @Test(arguments: [
        ("topic", "\"com.example.other\"", "/bundle"), ("topic", "\"com.example chat\"", "/topic"),
        ("topic", "", "/topic"),
        ("environment", "\"Production\"", "/environment"), ("environment", "1", "/environment"),
        ("bundle", "\"AAAA\"", "/bundle"), ("bundle", "\"A===\"", "/bundle"), ("bundle", "null", "/bundle"),
        ("language", "\"d\"", "/language"), ("language", "\"de_CH\"", "/language"),
        ("language", "\"de-\"", "/language"),
        ("region", "\"ch\"", "/region"), ("region", "\"CHE\"", "/region"), ("region", "\"1\"", "/region"),
        ("region", "\"ZZ\"", "/region"), ("region", "\"UK\"", "/region"), ("region", "\"419\"", "/region"),
        ("app-version", "\"1 0\"", "/app-version"), ("identity", "1", "/identity"),
    ])
    func `each field that is wrong is named`(_ example: (name: String, value: String, pointer: String)) {
        #expect(problem([example.name: example.value])?.fields.map(\.pointer) == [example.pointer])
    }

    @Test func `a bundle with any byte changed is refused`() throws {
        let bundle = try SignedBundle.bytes()
        for index in stride(from: 0, to: bundle.count, by: 7) {
            var changed = bundle
            changed[index] ^= 1
            #expect(problem([:], bundle: changed)?.fields.map(\.pointer) == ["/bundle"], "byte \(index)")
        }
        #expect(problem([:], bundle: Array(bundle.dropLast()))?.fields.map(\.pointer) == ["/bundle"])
    }
}
