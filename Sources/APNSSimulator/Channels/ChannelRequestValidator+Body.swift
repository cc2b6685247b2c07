import APNS
import Envelope

extension ChannelRequestValidator {
    private static let policyMember = "message-storage-policy"
    private static let pushTypeMember = "push-type"
    /// Our limit for a Live Activity's state.
    private static let depthMax = 32

    static func policy(_ body: [UInt8], _ byteCount: Int) throws(ChannelRejected) -> ChannelStoragePolicy {
        let members = try object(body, byteCount).members ?? []
        for member in members where member.name != policyMember && member.name != pushTypeMember {
            throw ChannelRejected(.badRequestParameters)
        }
        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        guard let pushType = value(pushTypeMember) else { throw ChannelRejected(.missingPushType) }
        guard pushType.string == "LiveActivity" else { throw ChannelRejected(.invalidPushType) }
        guard let number = value(policyMember) else { throw ChannelRejected(.missingChannelQueueSize) }
        guard case .integer(let raw) = number.content,
            let policy = Int(exactly: raw).flatMap(ChannelStoragePolicy.init(rawValue:))
        else { throw ChannelRejected(.badRequestParameters) }
        return policy
    }

    func checkPayload(_ body: [UInt8], _ byteCount: Int) throws(ChannelRejected) {
        try Self.checkSize(byteCount)
        guard settings.checksEvent else { return }
        let event = try Self.object(body, byteCount)["aps"]?["event"]?.string
        guard event == "update" || event == "end" else { throw ChannelRejected(.badRequestPayload) }
    }

    private static func checkSize(_ byteCount: Int) throws(ChannelRejected) {
        guard byteCount > 0 else { throw ChannelRejected(.payloadEmpty) }
        guard byteCount <= BroadcastRequest.payloadByteCountMax else { throw ChannelRejected(.payloadTooLarge) }
    }

    private static func object(_ body: [UInt8], _ byteCount: Int) throws(ChannelRejected) -> JSONValue {
        try checkSize(byteCount)
        let limits = JSONParser.Limits(
            byteCountMax: BroadcastRequest.payloadByteCountMax,
            depthMax: depthMax,
            allowsFractions: true
        )
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(body, limits: limits)
        } catch {
            throw ChannelRejected(.badRequestPayload)
        }
        guard value.members != nil else { throw ChannelRejected(.badRequestPayload) }
        return value
    }
}
