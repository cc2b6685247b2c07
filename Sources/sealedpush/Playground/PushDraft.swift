import APNS
import APNSSimulator
import HTTP

/// Push as a page composes it, with its mistakes: each field goes out as it is, an empty one not at all.
struct PushDraft: Sendable {
    let payload: [UInt8]
    let token: String
    let pushType: String
    /// Name and value, without empty ones.
    let fields: [(name: String, value: String)]

    /// Members of a call, by Apple's header names.
    static let headerMembers = [
        "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
    ]
    static let members = headerMembers + ["payload", "token"]
    private static let valueByteCountMax = 1_024

    /// - Parameter token: of the phone, for this type of push.
    init(_ request: ControlRequest, token: (String) -> String) throws(ControlProblem) {
        try request.allow(members: Self.members)
        payload = Array(try request.text("payload", example: "{}").utf8)
        var fields: [(name: String, value: String)] = []
        for name in Self.headerMembers {
            let value = try request.optionalText(name, example: "") ?? ""
            try Self.check(name, value)
            if !value.isEmpty { fields.append((name, value)) }
        }
        self.fields = fields
        pushType = fields.first { $0.name == "apns-push-type" }?.value ?? ""
        let given = try request.optionalText("token", example: "") ?? ""
        try Self.check("token", given)
        self.token = given.isEmpty ? token(pushType) : given
    }

    private static func check(_ name: String, _ value: String) throws(ControlProblem) {
        guard value.utf8.count <= valueByteCountMax, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ControlProblem(
                "'\(name)' may have printable ASCII without spaces, \(valueByteCountMax) bytes at most; shorten it"
            )
        }
    }

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    func request(id: APNSID, authority: String, authorization: [UInt8]) -> HTTP2Request {
        var headers = HeaderBlock()
        headers.append(HeaderName.method, "POST")
        headers.append(HeaderName.scheme, "https")
        headers.append(HeaderName.path, Array("/3/device/\(token)".utf8), indexing: .neverIndexed)
        headers.append(HeaderName.authority, Array(authority.utf8))
        headers.append(HeaderName.authorization, authorization, indexing: .neverIndexed)
        headers.append(HeaderName.id, Array("\(id)".utf8))
        for field in fields { headers.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return HTTP2Request(headers: headers, body: payload)
    }
}
