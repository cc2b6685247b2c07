import APNS
import HTTP

extension RecordedExchange {
    init(
        _ request: HTTP2ServerRequest,
        outcome: Outcome,
        milliseconds: Int64,
        unixSeconds: Int64,
        connection: Int,
        answeredID: [UInt8],
        hasPayload: Bool,
        deviceNumber: (DeviceToken) -> Int?
    ) {
        var fields: [Field] = []
        var path: Path?
        var authorization: Authorization?
        for field in request.headers {
            var value = String(decoding: field.value, as: UTF8.self)
            if field.name.spells(HeaderName.path) {
                path = path ?? Path(field.value, deviceNumber: deviceNumber)
                value = Self.pathMark
            } else if field.name.spells(HeaderName.authorization) {
                authorization = authorization ?? Authorization(field.value)
                value = Self.authorizationMark
            }
            fields.append(Field(String(decoding: field.name, as: UTF8.self), value))
        }
        self.init(
            milliseconds: milliseconds,
            unixSeconds: unixSeconds,
            connection: connection,
            fields: fields,
            path: path ?? .other(byteCount: 0),
            authorization: authorization,
            bodyByteCount: request.bodyByteCount,
            payload: hasPayload ? request.body : nil,
            answeredID: String(decoding: answeredID, as: UTF8.self),
            outcome: outcome
        )
    }
}

extension RecordedExchange.Path {
    private static let prefix = Array("/3/device/".utf8)

    init(_ path: ArraySlice<UInt8>, deviceNumber: (DeviceToken) -> Int?) {
        guard path.starts(with: Self.prefix) else {
            self = .other(byteCount: path.count)
            return
        }
        let text = path.dropFirst(Self.prefix.count)
        // `try?`: anything but a known token is a stranger.
        if let token = try? DeviceToken(hex: text.span), let number = deviceNumber(token) {
            self = .device(number)
            return
        }
        let isHex = text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
        self = .stranger(characterCount: text.count, isHex: isHex)
    }
}

extension RecordedExchange.Authorization {
    init(_ value: ArraySlice<UInt8>) {
        let scheme = Array("bearer ".utf8)
        guard value.count > scheme.count, zip(value, scheme).allSatisfy({ $0 | 0x20 == $1 | 0x20 }),
            let token = BearerToken(text: value.dropFirst(scheme.count), profile: .apple)
        else {
            self = .unreadable(byteCount: value.count)
            return
        }
        self = .bearer(keyID: token.keyID, teamID: token.teamID, issuedAt: token.issuedAt)
    }
}
