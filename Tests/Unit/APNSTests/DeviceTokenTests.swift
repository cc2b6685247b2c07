import Testing

@testable import APNS

struct DeviceTokenTests {
    @Test func `hex in either case is read, and written in lower case`() throws {
        let token = try DeviceToken(hex: "00fFAb09")
        #expect(token.bytes == [0x00, 0xFF, 0xAB, 0x09])
        #expect(token.hex == "00ffab09")
        #expect(try DeviceToken(hex: token.hex) == token)
    }

    @Test(arguments: [1, 32, 80, 100, 512])
    func `every length up to the limit is a token`(_ byteCount: Int) throws {
        #expect(try DeviceToken(hex: String(repeating: "a5", count: byteCount)).bytes.count == byteCount)
    }

    @Test(arguments: [
        ("", APNSError.deviceTokenEmpty),
        ("a", .deviceTokenOddLength(characterCount: 1)),
        ("abc", .deviceTokenOddLength(characterCount: 3)),
        ("zz", .deviceTokenNotHex(offset: 0)),
        ("0g", .deviceTokenNotHex(offset: 1)),
        ("0x12", .deviceTokenNotHex(offset: 1)),
        ("ab cd ", .deviceTokenNotHex(offset: 2)),
        ("٣٤", .deviceTokenNotHex(offset: 0)),
        ("ａｂ", .deviceTokenNotHex(offset: 0)),
        (String(repeating: "a", count: 1025), .deviceTokenTooLong(byteCount: 513, byteCountMax: 512)),
        (String(repeating: "ab", count: 513), .deviceTokenTooLong(byteCount: 513, byteCountMax: 512)),
    ])
    func `what is not a token says why`(_ text: String, _ expected: APNSError) {
        #expect(throws: expected) { try DeviceToken(hex: text) }
    }

    @Test func `no way of printing shows a token`() throws {
        let token = try DeviceToken(hex: "deadbeef")
        struct Holder { let token: DeviceToken }
        var dumped = ""
        dump(Holder(token: token), to: &dumped)
        for text in [
            "\(token)", String(reflecting: token), "\([token])", "\(Optional(token) as Any)",
            "\(Holder(token: token))", dumped,
        ] {
            #expect(text.contains("4 bytes"))
            #expect(!text.lowercased().contains("dead") && !text.contains("222"))
        }
    }
}
