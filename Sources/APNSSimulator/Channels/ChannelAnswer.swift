import APNS
import Envelope
import HTTP

struct ChannelAnswer: Equatable {
    let status: Int
    private(set) var channelID: ChannelID?
    private(set) var uniqueID: APNSID?
    private(set) var body: [UInt8] = []

    static func created(_ channel: ChannelID) -> ChannelAnswer { ChannelAnswer(status: 201, channelID: channel) }

    static func channel(_ policy: ChannelStoragePolicy) -> ChannelAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("message-storage-policy", policy.rawValue)
            writer.member("push-type", "LiveActivity")
        }
        return ChannelAnswer(status: 200, body: writer.bytes)
    }

    static let deleted = ChannelAnswer(status: 204)

    static func channels(_ channels: [ChannelID]) -> ChannelAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("channels")
            writer.array { writer in
                for channel in channels { writer.string(channel.description) }
            }
        }
        return ChannelAnswer(status: 200, body: writer.bytes)
    }

    static func sent(_ id: APNSID) -> ChannelAnswer { ChannelAnswer(status: 200, uniqueID: id) }

    static func rejected(_ rejected: ChannelError) -> ChannelAnswer {
        ChannelAnswer(status: rejected.reason.status, body: rejected.json)
    }

    func headers(requestID: [UInt8]) -> HeaderBlock {
        var headers = HeaderBlock()
        if !body.isEmpty { headers.append(HeaderName.contentType, "application/json") }
        headers.append(HeaderName.requestID, requestID, indexing: .notIndexed)
        if let channelID { headers.append(HeaderName.channelID, channelID.bytes, indexing: .notIndexed) }
        if let uniqueID { headers.append(HeaderName.uniqueID, uniqueID.upperCaseText, indexing: .notIndexed) }
        return headers
    }
}
