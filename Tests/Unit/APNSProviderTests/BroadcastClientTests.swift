import APNS
import HTTP
import Platform
import Testing

@testable import APNSProvider

struct BroadcastClientTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    /// Answers as Apple's pages say, and records the requests.
    private static func serve(_ site: APNSStandIn, _ asked: Asked) async throws -> HTTP2Server {
        try await site.serve { push in
            asked.lines.withLock { lines in
                let line =
                    "\(String(decoding: push.request.method, as: UTF8.self)) "
                    + String(decoding: push.request.path, as: UTF8.self)
                lines.append(line)
            }
            var headers = HeaderBlock()
            switch (push.request.method.first, push.request.path.contains(UInt8(ascii: "4"))) {
            case (UInt8(ascii: "P"), false):
                headers.append("apns-channel-id", Array(channel.utf8))
                push.respond(201, headers, [])
            case (UInt8(ascii: "D"), _): push.respond(204, headers, [])
            case (UInt8(ascii: "G"), _): push.respond(200, headers, Array(#"{"channels":["\#(channel)"]}"#.utf8))
            default:
                headers.append("apns-unique-id", "unique")
                push.respond(200, headers, [])
            }
        }
    }

    private final class Asked: Sendable {
        let lines = Guarded<[String]>([])
    }

    @Test func `a channel is made, listed, sent to and removed`() async throws {
        let site = try APNSStandIn()
        let asked = Asked()
        let server = try await Self.serve(site, asked)
        let client = try site.broadcastClient(of: server)
        let bundleID = try Topic("com.example.chat")
        let made = try await client.send(try .createChannel(of: bundleID, policy: .mostRecent))
        let id = try ChannelID(bytes: Array(Self.channel.utf8))
        #expect(made.outcome == .created(id))
        #expect(try await client.send(try .listChannels(of: bundleID)).outcome == .channels([id]))
        let payload = Array(#"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#.utf8)
        let sent = try await client.send(try .send(payload, to: id, of: bundleID, policy: .mostRecent))
        #expect(sent.outcome == .sent && sent.uniqueID == "unique")
        #expect(try await client.send(try .deleteChannel(id, of: bundleID)).outcome == .deleted)
        #expect(
            asked.lines.withLock { $0 } == [
                "POST /1/apps/com.example.chat/channels", "GET /1/apps/com.example.chat/all-channels",
                "POST /4/broadcasts/apps/com.example.chat", "DELETE /1/apps/com.example.chat/channels",
            ]
        )
        await client.close()
        await server.close()
    }

    @Test func `a refusal is a reply with Apple's reason`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            push.respond(400, HeaderBlock(), Array(#"{"reason":"FeatureNotEnabled"}"#.utf8))
        }
        let client = try site.broadcastClient(of: server)
        let reply = try await client.send(try .listChannels(of: Topic("com.example.chat")))
        #expect(reply.status == 400)
        #expect(reply.outcome == .rejected(reason: .featureNotEnabled, text: "FeatureNotEnabled"))
        await client.close()
        await server.close()
    }
}
