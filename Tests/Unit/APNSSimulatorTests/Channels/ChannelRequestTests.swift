import APNS
import HTTP
import Networking
import Primitives
import TestSupport
import Testing

@testable import APNSSimulator

/// Requests about channels as values, valid and absurd ones.
struct ChannelRequestTests {
    private static let app = "com.example.chat"
    private static let kept = ChannelID(appleBytes: [UInt8](repeating: 1, count: 16))
    private static let unkept = ChannelID(appleBytes: [UInt8](repeating: 2, count: 16))

    private let key: SigningKey
    private let directory: ChannelDirectory

    init() throws {
        key = SigningKey(
            id: try KeyID("ABC123DEFG"),
            team: try TeamID("DEF123GHIJ"),
            publicKey: try ThrowawayKeys.first().publicKey()
        )
        var directory = ChannelDirectory()
        _ = try directory.create(of: Topic(Self.app), policy: .mostRecent) { Self.kept }
        _ = try directory.create(of: Topic(Self.app), policy: .none) { Self.unkept }
        self.directory = directory
    }

    private func validate(
        _ call: ChannelCall,
        _ settings: ChannelSettings = ChannelSettings()
    ) -> Result<ChannelRequest, ChannelError> {
        var headers = HeaderBlock()
        for field in call.fields { headers.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return validate(headers, Array(call.body.utf8), isManagement: call.isManagement, settings)
    }

    private func validate(
        _ headers: HeaderBlock,
        _ body: [UInt8],
        isManagement: Bool,
        _ settings: ChannelSettings = ChannelSettings()
    ) -> Result<ChannelRequest, ChannelError> {
        let fields = ChannelRequestFields(headers)
        return Result { () throws(ChannelError) in
            try ChannelRequestValidator(settings: settings, profile: .spec).validate(
                isManagement ? ChannelPath(management: fields) : ChannelPath(broadcast: fields),
                fields,
                body: body,
                bodyByteCount: body.count,
                authenticate: { _ in .success(.key(key)) },
                directory: directory
            )
        }
    }

    private func broadcast(_ priority: Priority, _ seconds: UInt64?, _ body: String) -> Broadcast {
        Broadcast(
            priority: priority,
            expiration: seconds.map { Expiration(unixSeconds: $0) },
            payload: Array(body.utf8)
        )
    }

    @Test func `each request is read for what it asks`() throws {
        let app = try Topic(Self.app)
        #expect(validate(try .create()) == .success(.create(app, .mostRecent)))
        let other = try ChannelCall.create().with(body: #" {"push-type":"LiveActivity" , "message-storage-policy":0} "#)
        #expect(validate(other) == .success(.create(app, .none)))
        #expect(validate(try .read(Self.unkept)) == .success(.read(app, Self.unkept)))
        #expect(validate(try .delete(Self.unkept)) == .success(.delete(app, Self.unkept)))
        #expect(validate(try .list()) == .success(.list(app)))
        let send = try ChannelCall.send(Self.unkept)
        #expect(validate(send) == .success(.send(app, Self.unkept, broadcast(.immediate, 0, send.body))))
    }

    @Test(
        arguments: [("10", Priority.immediate), ("5", .powerAware), ("1", .low), (nil, .immediate)]
            as [(String?, Priority)]
    )
    func `a broadcast has one of three priorities, 10 without a word`(_ text: String?, _ priority: Priority) throws {
        let send = try ChannelCall.send(Self.kept).with("apns-priority", text)
        let expected = ChannelRequest.send(try Topic(Self.app), Self.kept, broadcast(priority, 0, send.body))
        #expect(validate(send) == .success(expected))
    }

    @Test func `only a channel that keeps messages takes an expiration, and only a setting demands one`() throws {
        let app = try Topic(Self.app)
        let late = try ChannelCall.send(Self.kept).with("apns-expiration", "99999999999")
        #expect(validate(late) == .success(.send(app, Self.kept, broadcast(.immediate, 99_999_999_999, late.body))))
        var strict = ChannelSettings()
        strict.needsExpiration = true
        for channel in [Self.kept, Self.unkept] {
            let send = try ChannelCall.send(channel).with("apns-expiration", nil)
            #expect(validate(send) == .success(.send(app, channel, broadcast(.immediate, nil, send.body))))
            #expect(validate(send, strict) == .failure(ChannelError(.badExpirationDate)))
        }
    }

    @Test func `a broadcast updates or ends, unless the setting looks away`() throws {
        var blind = ChannelSettings()
        blind.checksEvent = false
        for (body, isGood) in [
            (#"{"aps":{"event":"update"}}"#, true), (#"{"aps":{"event":"end"}}"#, true),
            (#"{"aps":{"event":"start"}}"#, false), (#"{"event":"update"}"#, false), ("nonsense", false),
        ] {
            let send = try ChannelCall.send(Self.kept).with(body: body)
            let failure = Result<ChannelRequest, ChannelError>.failure(ChannelError(.badRequestPayload))
            #expect((validate(send) == failure) == !isGood, "\(body)")
            #expect(validate(send, blind) != failure)
        }
    }

    @Test func `a payload may have 5120 bytes`() throws {
        let head = #"{"aps":{"event":"end"},"x":""#
        let body = head + String(repeating: "x", count: 5120 - head.utf8.count - 2) + #""}"#
        let send = try ChannelCall.send(Self.kept)
        #expect(body.utf8.count == 5120)
        guard case .success = validate(send.with(body: body)) else {
            Issue.record("5120 bytes")
            return
        }
        #expect(validate(send.with(body: body + " ")) == .failure(ChannelError(.payloadTooLarge)))
    }

    /// The words of the other table that this one lacks.
    @Test func `a token's refusal is one of Apple's reasons for channels`() {
        for reason in Reason.allCases {
            let rejected = ChannelError(RequestRejection(reason))
            let isShared = BroadcastReason(rawValue: reason.rawValue) != nil
            #expect(rejected.reason.rawValue == (isShared ? reason.rawValue : "InvalidProviderToken"))
        }
    }

    @Test func `thirty thousand mutated requests are read or refused`() throws {
        let seed: UInt64 = 18_0924
        var random = SeededRandom(seed: seed)
        let calls = [
            try ChannelCall.create(), try .read(Self.kept), try .delete(Self.kept), try .list(), try .send(Self.kept),
        ]
        var (goodCount, reasons) = (0, Set<BroadcastReason>())
        for _ in 0..<30_000 {
            let call = calls[Int.random(in: 0..<calls.count, using: &random)]
            var fields = call.fields.map { (Array($0.name.utf8), Array($0.value.utf8)) }
            var body = Array(call.body.utf8)
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: 0...fields.count, using: &random)
                if index == fields.count {
                    Self.mutate(&body, &random)
                } else if index % 5 == 4, Bool.random(using: &random) {
                    fields.append(fields[index])
                } else {
                    Self.mutate(&fields[index].1, &random)
                }
            }
            var headers = HeaderBlock()
            for (name, value) in fields { headers.append(name, value) }
            switch validate(headers, body, isManagement: call.isManagement) {
            case .success: goodCount += 1
            case .failure(let rejected): reasons.insert(rejected.reason)
            }
        }
        #expect(goodCount > 100 && reasons.count > 10, "seed \(seed): \(reasons)")
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &random)) }
        let offset = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: offset)
        case 2: bytes.insert(UInt8(ascii: "/"), at: offset)
        case 3: bytes.removeSubrange(offset...)
        default: bytes += bytes[offset...]
        }
    }
}
