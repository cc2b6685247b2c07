import APNS
import HTTP

/// Header fields of a request about channels. Apple's table has no DuplicateHeaders: repeated fields are joined by a
/// comma (RFC 9110 section 5.2), and become invalid.
struct ChannelRequestFields {
    private(set) var method: [UInt8] = []
    private(set) var path: [UInt8] = []
    private(set) var authorization: [UInt8]?
    private(set) var requestID: [UInt8]?
    private(set) var channelID: [UInt8]?
    private(set) var pushType: [UInt8]?
    private(set) var priority: [UInt8]?
    private(set) var expiration: [UInt8]?

    init(_ headers: HeaderBlock) {
        for field in headers {
            switch field.name.count {
            case 5 where field.name.spells(HeaderName.path): path = Array(field.value)
            case 7 where field.name.spells(HeaderName.method): method = Array(field.value)
            case 13 where field.name.spells(HeaderName.authorization): Self.join(&authorization, field.value)
            case 13 where field.name.spells(HeaderName.priority): Self.join(&priority, field.value)
            case 14 where field.name.spells(HeaderName.pushType): Self.join(&pushType, field.value)
            case 15 where field.name.spells(HeaderName.requestID): Self.join(&requestID, field.value)
            case 15 where field.name.spells(HeaderName.channelID): Self.join(&channelID, field.value)
            case 15 where field.name.spells(HeaderName.expiration): Self.join(&expiration, field.value)
            default: continue
            }
        }
    }

    private static func join(_ known: inout [UInt8]?, _ value: ArraySlice<UInt8>) {
        known = known.map { $0 + Array(", ".utf8) + value } ?? Array(value)
    }
}
