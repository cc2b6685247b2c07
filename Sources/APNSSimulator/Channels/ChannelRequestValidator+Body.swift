import APNS
import Envelope

extension ChannelRequestValidator {
    private static let policyMember = "message-storage-policy"
    private static let pushTypeMember = "push-type"
    /// Our limit for a Live Activity's state.
    private static let depthMax = 32

    static func policy(_ body: [UInt8], _ byteCount: Int) throws(ChannelError) -> ChannelStoragePolicy {
        let members = try object(body, byteCount).members ?? []
        for member in members where member.name != policyMember && member.name != pushTypeMember {
            throw ChannelError(.badRequestParameters)
        }
        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        guard let pushType = value(pushTypeMember) else { throw ChannelError(.missingPushType) }
        guard pushType.string == "LiveActivity" else { throw ChannelError(.invalidPushType) }
        guard let number = value(policyMember) else { throw ChannelError(.missingChannelQueueSize) }
        guard case .integer(let raw) = number.content,
            let policy = Int(exactly: raw).flatMap(ChannelStoragePolicy.init(rawValue:))
        else { throw ChannelError(.badRequestParameters) }
        return policy
    }

    func checkPayload(_ body: [UInt8], _ byteCount: Int) throws(ChannelError) {
        try Self.checkSize(byteCount)
        guard settings.checksEvent else { return }
        let event = try Self.object(body, byteCount)["aps"]?["event"]?.string
        guard event == "update" || event == "end" else { throw ChannelError(.badRequestPayload) }
    }

    private static func checkSize(_ byteCount: Int) throws(ChannelError) {
        guard byteCount > 0 else { throw ChannelError(.payloadEmpty) }
        guard byteCount <= BroadcastRequest.payloadByteCountMax else { throw ChannelError(.payloadTooLarge) }
    }

    private static func object(_ body: [UInt8], _ byteCount: Int) throws(ChannelError) -> JSONValue {
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
            throw ChannelError(.badRequestPayload)
        }
        guard value.members != nil else { throw ChannelError(.badRequestPayload) }
        return value
    }
}
