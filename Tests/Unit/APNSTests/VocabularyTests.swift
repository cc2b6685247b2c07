import Testing

@testable import APNS

struct VocabularyTests {
    @Test(arguments: PushType.allCases)
    func `a push type's header value is read back`(_ type: PushType) {
        #expect(PushType(headerValue: type.headerValue.span) == type)
        #expect(type.headerValue == Array(type.rawValue.utf8))
    }

    @Test func `there are eleven push types, with Apple's topic suffixes`() {
        #expect(PushType.allCases.count == 11)
        #expect(
            PushType.allCases.map(\.topicSuffix) == [
                "", "", ".complication", ".push-type.controls", ".pushkit.fileprovider", ".push-type.liveactivity",
                ".location-query", "", ".voip-ptt", ".voip", ".push-type.widgets",
            ]
        )
    }

    @Test(arguments: ["", "Alert", "alert ", "alerts", "aler", "\u{0}alert"])
    func `no other text is a push type`(_ text: String) {
        #expect(PushType(headerValue: Array(text.utf8).span) == nil)
    }

    @Test func `only voip may have more than 4096 bytes`() {
        for type in PushType.allCases { #expect(type.payloadByteCountMax == (type == .voip ? 5120 : 4096)) }
    }

    @Test func `only background refuses priority 10`() {
        for type in PushType.allCases {
            #expect(type.allows(.immediate) == (type != .background))
            #expect(type.allows(.powerAware) && type.allows(.low))
        }
    }

    @Test func `four push types have fewer priorities than three`() {
        let refused: [PushType: [Priority]] = [
            .background: [.immediate], .liveactivity: [.low], .location: [.low], .pushtotalk: [.low, .powerAware],
        ]
        for type in PushType.allCases {
            for priority in Priority.allCases {
                #expect(type.expects(priority) != (refused[type] ?? []).contains(priority), "\(type) \(priority)")
            }
        }
    }

    @Test func `only what comes at once or not at all is advised an expiration`() {
        for type in PushType.allCases {
            #expect(type.advisedExpiration == ([.pushtotalk, .voip].contains(type) ? .oneAttempt : nil), "\(type)")
        }
    }

    @Test func `a Live Activity and a location query need a provider token, mdm a certificate`() {
        #expect(PushType.allCases.filter(\.needsTokenAuthentication) == [.liveactivity, .location])
        #expect(PushType.allCases.filter(\.needsCertificate) == [.mdm])
        #expect(PushType.alert.certificateCoverage == .topicKind(.app))
        #expect(PushType.voip.certificateCoverage == .topicKind(.voip))
        #expect(PushType.complication.certificateCoverage == .topicKind(.complication))
        #expect(PushType.widgets.certificateCoverage == .listedTopic)
    }

    @Test(arguments: ["", "0", "2", "05", "10 ", "+5", "100", "five"])
    func `no other text is a priority`(_ text: String) {
        #expect(Priority(headerValue: Array(text.utf8).span) == nil)
    }

    @Test(arguments: Priority.allCases)
    func `a priority's header value is read back`(_ priority: Priority) {
        #expect(Priority(headerValue: priority.headerValue.span) == priority)
    }

    @Test func `a topic takes the suffix of a push type`() throws {
        let bundle = try Topic("com.example.chat")
        for type in PushType.allCases {
            let topic = try bundle.appendingSuffix(of: type)
            #expect(topic.description == "com.example.chat" + type.topicSuffix)
            #expect(topic.hasSuffix(of: type))
        }
        #expect(!bundle.hasSuffix(of: .voip))
        #expect(try !Topic(".voip").hasSuffix(of: .voip))
    }

    @Test func `a topic knows whose suffix it carries`() throws {
        #expect(try Topic("com.example.chat").suffixOwner == nil)
        for type in PushType.allCases where !type.topicSuffix.isEmpty {
            #expect(try Topic("com.example.chat" + type.topicSuffix).suffixOwner == type)
            #expect(try Topic(type.topicSuffix).suffixOwner == nil, "nothing before the suffix")
        }
        #expect(try Topic("com.apple.mgmt.External.4a3b").suffixOwner == .mdm)
        #expect(try Topic("com.apple.mgmt.").suffixOwner == nil)
    }

    @Test func `a topic fits the push type of its suffix and no other`() throws {
        let bundle = try Topic("com.example.chat")
        for type in PushType.allCases {
            let topic = type == .mdm ? try Topic("com.apple.mgmt.External.4a3b") : try bundle.appendingSuffix(of: type)
            for other in PushType.allCases {
                let isSame = other == type || (topic == bundle && other.topicIsBundleID)
                #expect(topic.fits(other) == isSame, "\(topic) \(other)")
            }
        }
    }

    @Test func `an app may be called like a suffix`() throws {
        let app = try Topic(bundleID: "com.example.voip")
        #expect(app.fits(.alert) && app.fits(.background) && !app.fits(.voip))
        #expect(try app.appendingSuffix(of: .voip).fits(.voip))
        #expect(try app.appendingSuffix(of: .voip).description == "com.example.voip.voip")
        // The bytes are one topic; only what a push may do with them differs.
        #expect(try app == Topic("com.example.voip"))
        #expect(try Set([app, Topic("com.example.voip")]).count == 1)
        #expect(throws: APNSError.topicCharacter(offset: 3)) { try Topic(bundleID: "com example") }
    }

    @Test(arguments: [
        ("", APNSError.topicEmpty),
        ("com example", .topicCharacter(offset: 3)),
        ("com.exämple", .topicCharacter(offset: 6)),
        ("a_b", .topicCharacter(offset: 1)),
        (String(repeating: "a", count: 256), .topicTooLong(byteCount: 256, byteCountMax: 255)),
    ])
    func `what is not a topic says why`(_ text: String, _ expected: APNSError) {
        #expect(throws: expected) { try Topic(text) }
    }

    @Test func `a collapse id is counted in bytes`() throws {
        #expect(try CollapseID(String(repeating: "é", count: 32)).bytes.count == 64)
        #expect(throws: APNSError.collapseIDTooLong(byteCount: 66, byteCountMax: 64)) {
            try CollapseID(String(repeating: "é", count: 33))
        }
        #expect(throws: APNSError.collapseIDEmpty) { try CollapseID("") }
        #expect(throws: APNSError.collapseIDCharacter(offset: 1)) { try CollapseID("a\nb") }
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), ("1893456000", 1_893_456_000), ("9999999999999999999", 9_999_999_999_999_999_999),
    ])
    func `an expiration is decimal seconds`(_ text: String, _ seconds: UInt64) {
        #expect(Expiration(headerValue: Array(text.utf8).span)?.unixSeconds == seconds)
        #expect(Expiration(unixSeconds: seconds).headerValue == Array(text.utf8))
    }

    @Test(arguments: ["", "-1", "+1", " 1", "1.0", "1e3", "0x1", "١", "12345678901234567890", "never"])
    func `nothing else is an expiration`(_ text: String) {
        #expect(Expiration(headerValue: Array(text.utf8).span) == nil)
    }

    @Test func `a push is stored until its expiration and never with 0`() {
        #expect(!Expiration.oneAttempt.allowsStoring(at: 0))
        #expect(!Expiration(unixSeconds: 100).allowsStoring(at: 100))
        #expect(Expiration(unixSeconds: 100).allowsStoring(at: 99))
        #expect(Expiration(unixSeconds: 100).allowsStoring(at: -5))
    }
}

struct APNSIDTests {
    @Test func `random bytes become a version 4 UUID`() {
        let ones = APNSID(randomBytes: [UInt8](repeating: 0xFF, count: 16))
        #expect(ones.description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(ones.upperCaseText == Array("FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF".utf8))
        #expect(
            APNSID(randomBytes: [UInt8](repeating: 0, count: 16)).description == "00000000-0000-4000-8000-000000000000"
        )
    }

    @Test func `new ids are random, and of version 4`() {
        let ids = (0..<100).map { _ in APNSID() }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0.bytes[6] >> 4 == 4 && $0.bytes[8] >> 6 == 0b10 })
        #expect(ids.allSatisfy { APNSID($0.description) == $0 && APNSID($0.description.uppercased()) == $0 })
        #expect(APNSID("1-1-1-1-1") == nil)
    }

    @Test func `text and bytes are two forms of one id`() throws {
        let text = Array("0b7cc0de-1234-4abc-9def-00112233445f".utf8)
        let parsed = APNSID(text: text.span, acceptsUpperCase: false)
        let id = try #require(parsed)
        #expect(id.text == text)
        #expect(id.bytes.prefix(4) == [0x0B, 0x7C, 0xC0, 0xDE] && id.bytes.suffix(2) == [0x44, 0x5F])
        #expect(APNSID(bytes: id.bytes.span) == id)
    }

    @Test func `upper case is read only where a server may have written it`() {
        let text = Array("0B7CC0DE-1234-4ABC-9DEF-00112233445F".utf8)
        #expect(APNSID(text: text.span, acceptsUpperCase: false) == nil)
        #expect(APNSID(text: text.span, acceptsUpperCase: true)?.upperCaseText == text)
    }

    @Test(arguments: [
        "", "1-1-1-1-1", "0b7cc0de12344abc9def00112233445f", "0b7cc0de-1234-4abc-9def-00112233445",
        "0b7cc0de-1234-4abc-9def-00112233445ff", "0b7cc0de-1234-4abc-9def_00112233445f",
        "{b7cc0de-1234-4abc-9def-00112233445}", "0b7cc0dg-1234-4abc-9def-00112233445f",
        "0b7cc0de1-234-4abc-9def-00112233445f",
    ])
    func `nothing but the canonical form is an id`(_ text: String) {
        #expect(APNSID(text: Array(text.utf8).span, acceptsUpperCase: true) == nil)
    }

    @Test func `an id knows its own spelling, in either case, and no other`() {
        let id = APNSID(randomBytes: Array(0x9A..<0xAA))
        func isSpelled(_ text: [UInt8]) -> Bool { id.isSpelled(text.span) }
        #expect(isSpelled(id.text) && isSpelled(id.upperCaseText))
        for offset in id.text.indices {
            for character: UInt8 in [0x10, 0x2D, 0x3A, 0x67, id.text[offset] ^ 1, id.text[offset] ^ 0x80] {
                var text = id.text
                guard text[offset] != character else { continue }
                text[offset] = character
                #expect(!isSpelled(text), "\(character) at \(offset)")
            }
        }
        #expect(!isSpelled([]) && !isSpelled(id.text.dropLast()) && !isSpelled(id.text + id.text))
    }
}
