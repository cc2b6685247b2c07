import Testing

@testable import APNS

struct ReasonTests {
    /// Apple's table, copied by hand a second time so that a slip in either copy shows.
    private static let table: [(Int, [String])] = [
        (
            400,
            [
                "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
                "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
                "MissingTopic", "PayloadEmpty", "TopicDisallowed",
            ]
        ),
        (
            403,
            [
                "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden",
                "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken",
                "BadEnvironmentKeyInToken",
            ]
        ),
        (404, ["BadPath"]), (405, ["MethodNotAllowed"]), (410, ["ExpiredToken", "Unregistered"]),
        (413, ["PayloadTooLarge"]), (429, ["TooManyProviderTokenUpdates", "TooManyRequests"]),
        (500, ["InternalServerError"]), (503, ["ServiceUnavailable", "Shutdown"]),
    ]

    @Test func `every reason of Apple's table is there with its status, and no other`() {
        var count = 0
        for (status, names) in Self.table {
            for name in names {
                #expect(Reason(rawValue: name)?.status == status, "\(name)")
                count += 1
            }
        }
        #expect(Reason.allCases.count == count)
    }

    @Test(arguments: Reason.allCases)
    func `an error body is read as it was written`(_ reason: Reason) {
        let body = RejectionBody(reason, timestampMilliseconds: 1_700_000_000_123)
        #expect(RejectionBody(json: body.json) == body)
        #expect((body.timestampMilliseconds != nil) == (reason.status == 410))
    }

    @Test func `the bytes are those of Apple's examples`() {
        #expect(RejectionBody(.badDeviceToken).json == Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        #expect(
            RejectionBody(.unregistered, timestampMilliseconds: 1_454_402_113_000).json
                == Array(#"{"reason":"Unregistered","timestamp":1454402113000}"#.utf8)
        )
    }

    @Test func `an unknown reason keeps its words, other members are ignored`() {
        let body = RejectionBody(json: Array(#" { "extra" : [1, {"a": null}], "reason" : "NewReason" } "#.utf8))
        #expect(body?.reason == nil)
        #expect(body?.reasonText == "NewReason")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"reason":1}"#, #"{"reason":""}"#, #"{"reason":"a\nb"}"#, #"{"reason":"x"} x"#,
        #"{"reason":"x""#, #"{"reason":"x","reason":"y"}"#, #"{"reason":"é"}"#, #"{"reason":"x",}"#,
        #"{"reason":""# + String(repeating: "x", count: 65) + #""}"#,
        #"{"reason":"x","y":""# + String(repeating: "x", count: 1024) + #""}"#,
    ])
    func `what is no error body is none`(_ text: String) {
        #expect(RejectionBody(json: Array(text.utf8)) == nil)
    }
}

struct FlatJSONTests {
    private func value(_ json: String) -> FlatJSON.Value? { FlatJSON(Array(#"{"v":\#(json)}"#.utf8))?["v"] }

    @Test func `strings and whole numbers are told from the rest`() {
        #expect(value(#""a""#) == .string("a"))
        #expect(value(#""\u00e9\ud83d\ude00\n\/""#) == .string("é😀\n/"))
        #expect(value("0") == .integer(0))
        #expect(value("-17") == .integer(-17))
        #expect(value("9223372036854775807") == .integer(.max))
        for other in ["9223372036854775808", "1.0", "1e3", "-2.5E-1", "true", "false", "null", "{}", "[]", "[1,[2]]"] {
            #expect(value(other) == .other, "\(other)")
        }
    }

    @Test(arguments: [
        "01", "+1", "1.", ".5", "1e", "-", "nul", "tru", "[1,]", "[", "{", #"{"a"}"#, #""\x""#, #""\ud800""#,
        #""\ud800A""#, #""\udc00""#, "\"\u{1}\"", "\"", "", "'a'", "NaN",
        String(repeating: "[", count: 9) + String(repeating: "]", count: 9),
    ])
    func `what is not JSON is refused`(_ json: String) {
        #expect(value(json) == nil)
    }

    @Test func `invalid UTF-8 is refused`() {
        #expect(FlatJSON(Array(#"{"v":""#.utf8) + [0xC3] + Array(#""}"#.utf8)) == nil)
    }

    @Test func `the number of members is bounded`() {
        func object(_ count: Int) -> [UInt8] {
            Array("{\((0..<count).map { "\"m\($0)\":0" }.joined(separator: ","))}".utf8)
        }
        #expect(FlatJSON(object(32)) != nil)
        #expect(FlatJSON(object(33)) == nil)
    }

    @Test func `no mutation of an object traps`() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededRandom(seed: seed)
        let valid = Array(#"{"reason":"Unregistered","timestamp":1454402113000,"x":["\u00e9",{"a":-1.5e3}]}"#.utf8)
        for _ in 0..<10_000 {
            var bytes = valid
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let offset = Int.random(in: 0..<max(1, bytes.count), using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where !bytes.isEmpty: bytes[offset] = UInt8.random(in: 0...255, using: &random)
                case 1 where !bytes.isEmpty: bytes.remove(at: offset)
                default:
                    bytes.insert(valid[Int.random(in: 0..<valid.count, using: &random)], at: min(offset, bytes.count))
                }
            }
            if let body = RejectionBody(json: bytes) {
                #expect(body.reasonText.utf8.count <= RejectionBody.reasonCharacterCountMax, "seed \(seed)")
            }
        }
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
