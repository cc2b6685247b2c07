import APNS
import APNSProvider
import HTTP
import Networking

@testable import APNSSimulator

struct ChannelCall: Sendable {
    static let app = "com.example.chat"

    var fields: [(name: String, value: String)]
    var body: String
    var isManagement = true

    static func create() throws -> ChannelCall {
        try ChannelCall("POST", "/1/apps/\(app)/channels", #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    }

    static func read(_ channel: ChannelID) throws -> ChannelCall {
        var call = try ChannelCall("GET", "/1/apps/\(app)/channels", "")
        call["apns-channel-id"] = channel.description
        return call
    }

    static func delete(_ channel: ChannelID) throws -> ChannelCall {
        var call = try read(channel)
        call[":method"] = "DELETE"
        return call
    }

    static func list() throws -> ChannelCall { try ChannelCall("GET", "/1/apps/\(app)/all-channels", "") }

    static func send(_ channel: ChannelID) throws -> ChannelCall {
        var call = try ChannelCall(
            "POST",
            "/4/broadcasts/apps/\(app)",
            #"{"aps":{"event":"update","timestamp":1,"content-state":{"goals":1}}}"#
        )
        call.isManagement = false
        call["apns-channel-id"] = channel.description
        call["apns-push-type"] = "liveactivity"
        call["apns-expiration"] = "0"
        call["apns-priority"] = "10"
        return call
    }

    private init(_ method: String, _ path: String, _ body: String) throws {
        fields = [
            (":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path),
            ("authorization", try Authorization(issuedAt: ServiceSite.start).value),
        ]
        self.body = body
    }

    subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    func with(_ name: String, _ value: String?) -> ChannelCall {
        var call = self
        call[name] = value
        return call
    }

    func with(body: String) -> ChannelCall {
        var call = self
        call.body = body
        return call
    }

    func adding(_ name: String, _ value: String) -> ChannelCall {
        var call = self
        call.fields.append((name, value))
        return call
    }

    func response(from site: ServiceSite) async throws -> HTTP2Response {
        let connection = try await site.connection(toManagement: isManagement)
        let response = try await response(over: connection)
        await connection.close()
        return response
    }

    func response(over connection: HTTP2ClientConnection) async throws -> HTTP2Response {
        var headers = HeaderBlock()
        for field in fields { headers.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return try await connection.send(HTTP2Request(headers: headers, body: Array(body.utf8)))
    }
}

extension HTTP2Response {
    /// The body's reason; the status must be the one of Apple's table for it.
    var broadcastReason: BroadcastReason? {
        let text = String(decoding: body, as: UTF8.self)
        guard text.hasPrefix(#"{"reason":""#), text.hasSuffix(#""}"#) else { return nil }
        let reason = BroadcastReason(text: String(text.dropFirst(11).dropLast(2)))
        return reason?.status == status ? reason : nil
    }

    func text(of name: StaticString) -> String? { headers[name].map { String(decoding: $0, as: UTF8.self) } }
}
