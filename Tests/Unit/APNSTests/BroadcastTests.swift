import Testing

@testable import APNS

struct BroadcastTests {
    private static let id = "dHN0LXNyY2gtY2hubA=="
    private static let requestID = APNSID(randomBytes: Array(0..<16))

    private static func bundle() throws -> Topic { try Topic("com.example.chat") }
    private static func channel() throws -> ChannelID { try ChannelID(id) }

    private static func lines(_ request: BroadcastRequest) -> [String] {
        [String(decoding: request.method + [0x20] + request.path, as: UTF8.self)]
            + request.fields.map { String(decoding: $0.name + Array(": ".utf8) + $0.value, as: UTF8.self) }
            + [String(decoding: request.body, as: UTF8.self)]
    }

    @Test func `the four requests of channel management are those of Apple's page`() throws {
        let bundle = try Self.bundle()
        #expect(
            Self.lines(try .createChannel(of: bundle, policy: .mostRecent, requestID: Self.requestID)) == [
                "POST /1/apps/com.example.chat/channels", "apns-request-id: 00010203-0405-4607-8809-0a0b0c0d0e0f",
                #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#,
            ]
        )
        #expect(
            Self.lines(try .readChannel(Self.channel(), of: bundle))
                == ["GET /1/apps/com.example.chat/channels", "apns-channel-id: \(Self.id)", ""]
        )
        #expect(
            Self.lines(try .deleteChannel(Self.channel(), of: bundle))
                == ["DELETE /1/apps/com.example.chat/channels", "apns-channel-id: \(Self.id)", ""]
        )
        #expect(Self.lines(try .listChannels(of: bundle)) == ["GET /1/apps/com.example.chat/all-channels", ""])
        for request in [try BroadcastRequest.listChannels(of: bundle), try .createChannel(of: bundle, policy: .none)] {
            #expect(request.role == .management)
        }
    }

    @Test func `a broadcast goes where pushes go, without a topic`() throws {
        let request = try BroadcastRequest.send(
            Array("{}".utf8),
            to: Self.channel(),
            of: Self.bundle(),
            policy: .mostRecent,
            expiration: Expiration(unixSeconds: 1_893_456_000),
            priority: .low
        )
        #expect(request.role == .push)
        #expect(
            Self.lines(request) == [
                "POST /4/broadcasts/apps/com.example.chat", "apns-channel-id: \(Self.id)",
                "apns-push-type: liveactivity", "apns-expiration: 1893456000", "apns-priority: 1", "{}",
            ]
        )
    }

    @Test func `what APNs would refuse is not made`() throws {
        let (bundle, channel) = (try Self.bundle(), try Self.channel())
        let body = [UInt8](repeating: 0x20, count: 5121)
        #expect(throws: BroadcastRequestError.topicIsNoBundleID(.liveactivity)) {
            try BroadcastRequest.listChannels(of: bundle.appendingSuffix(of: .liveactivity))
        }
        #expect(throws: BroadcastRequestError.expirationNeedsStorage) {
            try BroadcastRequest.send(
                body,
                to: channel,
                of: bundle,
                policy: .none,
                expiration: Expiration(unixSeconds: 1)
            )
        }
        #expect(throws: BroadcastRequestError.payloadEmpty) {
            try BroadcastRequest.send([], to: channel, of: bundle, policy: .none)
        }
        #expect(throws: BroadcastRequestError.payloadTooLarge(byteCount: 5121, byteCountMax: 5120)) {
            try BroadcastRequest.send(body, to: channel, of: bundle, policy: .none)
        }
        #expect(throws: Never.self) {
            try BroadcastRequest.send(body.dropLast(), to: channel, of: bundle, policy: .none)
        }
    }

    @Test(arguments: [
        ("", APNSError.channelIDEmpty), ("a b", .channelIDCharacter(offset: 1)),
        ("ab\n", .channelIDCharacter(offset: 2)),
        (String(repeating: "a", count: 257), .channelIDTooLong(byteCount: 257, byteCountMax: 256)),
    ])
    func `what is no channel id says why`(_ text: String, _ expected: APNSError) {
        #expect(throws: expected) { try ChannelID(text) }
    }

    private static func response(
        _ operation: BroadcastRequest.Operation,
        _ status: Int,
        _ body: String = "",
        _ fields: [String: String] = [:]
    ) throws(BroadcastResponseError) -> BroadcastResponse {
        try BroadcastResponse(to: operation, status: status, body: Array(body.utf8)) { name in
            fields["\(name)"].map { Array($0.utf8) }
        }
    }

    @Test func `each reply that says done is read`() throws {
        let created = try Self.response(
            .createChannel,
            201,
            "",
            ["apns-channel-id": Self.id, "apns-request-id": Self.requestID.description.uppercased()]
        )
        #expect(created.outcome == .created(try Self.channel()) && created.requestID == Self.requestID)
        let read = try Self.response(
            .readChannel,
            200,
            #"{"push-type":"LiveActivity","message-storage-policy":1,"n":{}}"#
        )
        #expect(read.outcome == .channel(.mostRecent))
        #expect(try Self.response(.deleteChannel, 204).outcome == .deleted)
        let list = try Self.response(.listChannels, 200, #"{"channels":["a","b=="]}"#)
        #expect(list.outcome == .channels([try ChannelID("a"), try ChannelID("b==")]))
        #expect(try Self.response(.listChannels, 200, #"{"channels":[]}"#).outcome == .channels([]))
        let sent = try Self.response(.send, 200, "", ["apns-unique-id": "3E2A-1"])
        #expect(sent.outcome == .sent && sent.uniqueID == "3E2A-1")
        #expect(try Self.response(.send, 200, "", ["apns-unique-id": "a\u{1B}[2J"]).uniqueID == nil)
    }

    @Test(arguments: [
        (BroadcastRequest.Operation.createChannel, 201, "", BroadcastResponseError.channelIDMalformed),
        (.createChannel, 200, "", .statusUnexpected(200)), (.deleteChannel, 200, "", .statusUnexpected(200)),
        (.readChannel, 200, "", .bodyMalformed(offset: 0)), (.readChannel, 200, "{}", .bodyMalformed(offset: 0)),
        (.readChannel, 200, #"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .bodyMalformed(offset: 0)),
        (.readChannel, 200, #"{"message-storage-policy":"1","push-type":"LiveActivity"}"#, .bodyMalformed(offset: 0)),
        (.readChannel, 200, #"{"message-storage-policy":1,"push-type":"Alert"}"#, .bodyMalformed(offset: 0)),
        (.listChannels, 200, "[]", .bodyMalformed(offset: 0)),
        (.listChannels, 200, #"{"channels":{}}"#, .bodyMalformed(offset: 0)),
        (.listChannels, 200, #"{"channels":["a",1]}"#, .bodyMalformed(offset: 17)),
        (.listChannels, 200, #"{"channels":["a b"]}"#, .bodyMalformed(offset: 13)),
        (.listChannels, 200, #"{"channels":["a"]"#, .bodyMalformed(offset: 17)),
        (
            .listChannels, 200, #"{"channels":["# + String(repeating: #""a","#, count: 10_000) + #""a"]}"#,
            .channelCountTooHigh(countMax: 10_000)
        ),
        (
            .listChannels, 200, String(repeating: " ", count: (1 << 20) + 1),
            .bodyTooLong(byteCount: (1 << 20) + 1, byteCountMax: 1 << 20)
        ),
    ])
    func `a reply that says done and cannot be read is an error`(
        _ operation: BroadcastRequest.Operation,
        _ status: Int,
        _ body: String,
        _ fault: BroadcastResponseError
    ) {
        #expect(throws: fault) { try Self.response(operation, status, body) }
    }

    @Test(arguments: BroadcastReason.allCases)
    func `a refusal is read with its reason`(_ reason: BroadcastReason) throws {
        let response = try Self.response(.send, reason.status, #"{"reason":"\#(reason.rawValue)"}"#)
        #expect(response.outcome == .rejected(reason: reason, text: reason.rawValue))
        #expect(response.status == reason.status)
    }

    @Test func `a refusal can always be read`() throws {
        let spaced = try Self.response(.send, 503, #"{"reason":"Service Unavailable"}"#)
        #expect(spaced.outcome == .rejected(reason: .serviceUnavailable, text: "Service Unavailable"))
        #expect(try Self.response(.send, 400, "<html>").outcome == .rejected(reason: nil, text: nil))
        #expect(try Self.response(.send, 400, #"{"reason":"New"}"#).outcome == .rejected(reason: nil, text: "New"))
        #expect(
            try Self.response(.send, 500, #"{"reason":"BadChannelId"}"#).outcome
                == .rejected(reason: nil, text: "BadChannelId"),
            "a reason with another status than its own"
        )
        let long = #"{"reason":"x","y":""# + String(repeating: "y", count: 1024) + #""}"#
        #expect(try Self.response(.send, 400, long).outcome == .rejected(reason: nil, text: nil))
    }

    /// Apple's table, copied by hand a second time so that a slip in either copy shows.
    @Test func `every reason of the table is there with its status, and no other`() {
        let table: [Int: String] = [
            400: "BadChannelId BadExpirationDate BadMessageId BadPriority BadRequestParams BadRequestPayload "
                + "CannotCreateChannelConfig ChannelNotRegistered FeatureNotEnabled InvalidPushType MissingChannelId "
                + "MissingPushType PayloadEmpty TopicDisallowed MissingChannelQueueSize",
            403: "BadCertificate BadCertificateEnvironment ExpiredProviderToken InvalidProviderToken "
                + "MissingProviderToken TopicMismatch",
            404: "BadPath", 405: "MethodNotAllowed", 413: "PayloadTooLarge",
            429: "TooManyProviderTokenUpdates TooManyRequests", 500: "InternalServerError",
            503: "ServiceUnavailable Shutdown",
        ]
        var count = 0
        for (status, names) in table {
            for name in names.split(separator: " ") {
                #expect(BroadcastReason(text: String(name))?.status == status, "\(name)")
                count += 1
            }
        }
        #expect(BroadcastReason.allCases.count == count)
    }
}
