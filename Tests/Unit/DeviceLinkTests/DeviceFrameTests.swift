import APNS
import TestSupport
import Testing

@testable import DeviceLink

struct DeviceFrameTests {
    static func examples() throws -> [DeviceFrame] {
        let id = APNSID(randomBytes: Array(0..<16))
        let topic = try Topic("com.example.chat")
        let longTopic = try Topic(String(repeating: "a", count: 255))
        let token = try DeviceToken(bytes: Array(0..<32))
        let plain = DevicePush(
            id: id,
            topic: topic,
            pushType: .alert,
            priority: .immediate,
            expiration: nil,
            collapseID: nil,
            payload: Array(#"{"aps":{}}"#.utf8)
        )
        let full = DevicePush(
            id: id,
            topic: longTopic,
            pushType: .widgets,
            priority: .low,
            expiration: Expiration(unixSeconds: .max),
            collapseID: try CollapseID(String(repeating: "c", count: 64)),
            payload: [UInt8](repeating: 0xEE, count: 5120),
            presentation: .passiveForBurst
        )
        return [
            .hello(DeviceHello(topic: topic)),
            .hello(DeviceHello(topic: longTopic, earlierToken: token, arrival: .restored, state: .all)),
            .welcome(token), .push(plain), .push(full), .acknowledgement(id), .refused(.tokenOfAnotherTopic),
            .state([.focus, .lowPower]),
            .refused(.tooManyDevices), .welcome(try DeviceToken(bytes: [UInt8](repeating: 1, count: 512))),
            .subscribe(topic: topic, channel: try ChannelID("dHN0LXNyY2gtY2hubA==")),
            .unsubscribe(topic: longTopic, channel: try ChannelID(String(repeating: "a", count: 256))),
            .subscription(.active), .subscription(.channelUnknown),
            .register(try #require(TokenRegistration(.voip))), .token(token),
            .unregister(try #require(TokenRegistration(.mdm, instance: [UInt8](repeating: 0x61, count: 64)))),
        ]
    }

    private func decode(_ bytes: [UInt8]) throws(DeviceLinkError) -> [DeviceFrame] {
        var decoder = DeviceFrameDecoder()
        decoder.append(bytes.span)
        var frames: [DeviceFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test func `every frame is read as it was written, in one piece and byte by byte`() throws {
        let frames = try Self.examples()
        let stream = frames.flatMap(\.bytes)
        #expect(try decode(stream) == frames)
        var decoder = DeviceFrameDecoder()
        var decoded: [DeviceFrame] = []
        for byte in stream {
            let piece = [byte]
            decoder.append(piece.span)
            while let frame = try decoder.next() { decoded.append(frame) }
        }
        #expect(decoded == frames)
    }

    @Test func `the bytes are those of docs-device-link`() throws {
        let hello = DeviceHello(
            topic: try Topic("a.b"),
            earlierToken: try DeviceToken(bytes: [7, 8]),
            arrival: .reinstalled,
            state: .focus
        )
        #expect(
            DeviceFrame.hello(hello).bytes == [0, 0, 0, 12, 1, 0, 2, 7, 8, 3] + Array("a.b".utf8) + [1, 1, 2]
        )
        #expect(DeviceFrame.state([.lowPower, .appRunning]).bytes == [0, 0, 0, 3, 6, 1, 17])
        #expect(DeviceFrame.welcome(try DeviceToken(bytes: [7, 8])).bytes == [0, 0, 0, 5, 2, 0, 2, 7, 8])
        let id = APNSID(randomBytes: [UInt8](repeating: 0, count: 16))
        #expect(DeviceFrame.acknowledgement(id).bytes == [0, 0, 0, 17, 4] + id.bytes)
        #expect(DeviceFrame.refused(.tooManyDevices).bytes == [0, 0, 0, 2, 5, 2])
        let push = DevicePush(
            id: id,
            topic: try Topic("a.b"),
            pushType: .alert,
            priority: .powerAware,
            expiration: Expiration(unixSeconds: 258),
            collapseID: try CollapseID("c"),
            payload: Array("{}".utf8)
        )
        let expected: [UInt8] =
            [0, 0, 0, 39, 3] + id.bytes + [1, 5, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3]
            + Array("a.b".utf8) + [1] + Array("c".utf8) + [0, 2] + Array("{}".utf8)
        #expect(DeviceFrame.push(push).bytes == expected)
        let fields: [UInt8] = [3] + Array("a.b".utf8) + [0, 2] + Array("c=".utf8)
        let (topic, channel) = (try Topic("a.b"), try ChannelID("c="))
        #expect(DeviceFrame.subscribe(topic: topic, channel: channel).bytes == [0, 0, 0, 9, 16] + fields)
        #expect(DeviceFrame.unsubscribe(topic: topic, channel: channel).bytes == [0, 0, 0, 9, 17] + fields)
        #expect(DeviceFrame.subscription(.tooMany).bytes == [0, 0, 0, 2, 18, 3])
        let activity = try #require(TokenRegistration(.liveActivity, instance: Array("ab".utf8)))
        #expect(DeviceFrame.register(activity).bytes == [0, 0, 0, 5, 7, 7, 2] + Array("ab".utf8))
        #expect(DeviceFrame.unregister(activity).bytes == [0, 0, 0, 5, 9, 7, 2] + Array("ab".utf8))
        #expect(DeviceFrame.token(try DeviceToken(bytes: [7, 8])).bytes == [0, 0, 0, 5, 8, 0, 2, 7, 8])
    }

    @Test func `a stream cut at any length gives the whole frames before the cut and waits`() throws {
        let frames = try Self.examples()
        let stream = frames.flatMap(\.bytes)
        var ends: [Int] = []
        for frame in frames { ends.append((ends.last ?? 0) + frame.bytes.count) }
        for byteCount in 0..<stream.count {
            let decoded = try decode(Array(stream.prefix(byteCount)))
            #expect(decoded.count == ends.count { $0 <= byteCount }, "cut at \(byteCount)")
        }
    }

    @Test func `a frame whose contents end anywhere too early is truncated`() throws {
        for frame in try Self.examples() {
            let contents = frame.bytes.dropFirst(4)
            for byteCount in 1..<contents.count {
                let error = #expect(throws: DeviceLinkError.self) {
                    try DeviceFrame(contents: contents.prefix(byteCount))
                }
                guard case .truncated = error else {
                    Issue.record("\(frame.kind) cut to \(byteCount): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `a byte behind the last field is refused`() throws {
        for frame in try Self.examples() where frame.bytes.count - 4 < DeviceFrame.byteCountMax {
            #expect(throws: DeviceLinkError.trailingBytes(byteCount: 1), "\(frame.kind)") {
                try DeviceFrame(contents: frame.bytes.dropFirst(4) + [0])
            }
        }
    }

    @Test(arguments: [0, 8193, 0x10000, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `a length outside the limits is refused before the frame is there`(_ byteCount: Int) {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: byteCount >> (24 - 8 * $0)) }
        #expect(throws: DeviceLinkError.frameLength(byteCount: byteCount, byteCountMax: 8192)) { try decode(bytes) }
    }

    @Test(arguments: [
        ([1, 0, 0, 0], DeviceLinkError.malformed(.topic)),
        ([1, 0, 0, 1, 0x20], .malformed(.topic)),
        ([1, 2, 1] + [UInt8](repeating: 0, count: 513) + [1, 0x61], .malformed(.deviceToken)),
        ([2, 0, 0], .malformed(.deviceToken)),
        ([5, 0], .malformed(.refusal)),
        ([16, 1, 0x61, 0, 0], .malformed(.channelID)),
        ([17, 1, 0x61, 0, 1, 0x20], .malformed(.channelID)),
        ([18, 4], .malformed(.subscription)),
        ([5, 6], .malformed(.refusal)),
        ([1, 0, 0, 1, 0x61, 3, 1, 0], .malformed(.arrival)),
        ([1, 0, 0, 1, 0x61, 0, 2, 0], .malformed(.state)),
        ([6, 0, 0], .malformed(.state)),
        ([6, 1, 32], .malformed(.state)),
        ([0], .unknownType(0)),
        ([7, 0, 0], .malformed(.tokenKind)),
        ([9, 12, 0], .malformed(.tokenKind)),
        ([7, 2, 65] + [UInt8](repeating: 0x61, count: 65), .malformed(.instance)),
        ([8, 0, 0], .malformed(.deviceToken)),
        ([10, 1, 2, 3], .unknownType(10)),
        ([], .frameLength(byteCount: 0, byteCountMax: 8192)),
    ])
    func `a field that is there but wrong is named`(_ contents: [UInt8], _ expected: DeviceLinkError) {
        #expect(throws: expected) { try DeviceFrame(contents: contents[...]) }
    }

    @Test(arguments: [
        (16, 0, DeviceLinkError.malformed(.pushType)), (16, 12, .malformed(.pushType)),
        (17, 0, .malformed(.priority)), (17, 7, .malformed(.priority)),
        (18, 3, .malformed(.presentation)), (19, 2, .malformed(.expiration)), (27, 1, .malformed(.expiration)),
        (29, 0x2F, .malformed(.topic)), (45, 65, .truncated(.collapseID)),
        (46, 0x14, .truncated(.payload)),
    ])
    func `one wrong byte of a push is named`(_ offset: Int, _ byte: UInt8, _ expected: DeviceLinkError) throws {
        var contents = Array(try Self.examples()[3].bytes.dropFirst(5))
        contents[offset] = byte
        #expect(throws: expected) { try DeviceFrame(contents: [3] + contents) }
    }

    @Test func `a push without a payload, or with one byte too many, is refused`() throws {
        let contents = Array(try Self.examples()[3].bytes.dropFirst(4))
        let head = contents.dropLast(12)
        #expect(throws: DeviceLinkError.malformed(.payload)) { try DeviceFrame(contents: head + [0, 0]) }
        #expect(throws: DeviceLinkError.malformed(.payload)) {
            try DeviceFrame(contents: head + [0x14, 0x01] + [UInt8](repeating: 0x20, count: 5121))
        }
    }

    @Test func `ten thousand mutated streams neither trap nor mean two things`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let examples = try Self.examples().map(\.bytes)
        for _ in 0..<10_000 {
            var stream = examples[Int.random(in: 0..<examples.count, using: &random)]
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let offset = Int.random(in: 0..<stream.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: stream[offset] = UInt8.random(in: 0...255, using: &random)
                case 1: stream[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2 where stream.count > 1: stream.remove(at: offset)
                default: stream.insert(UInt8.random(in: 0...255, using: &random), at: offset)
                }
            }
            do throws(DeviceLinkError) {
                // An accepted frame has one spelling only: encoding it again gives the same bytes.
                let frames = try decode(stream)
                let again = frames.flatMap(\.bytes)
                #expect(stream.starts(with: again), "seed \(seed)")
            } catch {
                // A refusal is right; the other tests check which error it is.
            }
        }
    }
}
