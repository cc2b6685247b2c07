/// Facts that a payload reveals without a key.
package struct PayloadReport: Equatable, Sendable {
    package let byteCount: Int
    /// Clear members beside `aps`, `sealed` and `trace`; normally none.
    package let otherNames: [String]
    /// Compact JSON of `aps`, in its order.
    package let aps: String?
    /// True if `aps.mutable-content` is 1, without which iOS shows the placeholder.
    package let isMutable: Bool
    package let trace: String?
    package let sealed: Sealed
    /// `webpush` member, also among `otherNames`.
    package let webPush: WebPush

    package enum WebPush: Equatable, Sendable {
        case absent
        case notAString
        case field(String)
    }

    package enum Sealed: Equatable, Sendable {
        case absent
        case notAString
        case unreadable(EnvelopeError)
        case envelope(Envelope)
    }

    package init(payload bytes: [UInt8]) throws(JSONError) {
        let limits = JSONParser.Limits(
            byteCountMax: PushClass.voip.payloadByteCountMax,
            depthMax: 32,
            allowsFractions: true
        )
        let document = try JSONParser.parse(bytes, limits: limits)
        guard let members = document.members else {
            throw JSONError(reason: .expectedObject, offset: document.offset)
        }
        byteCount = bytes.count
        let ownNames = ["aps", Payload.sealedName, Payload.traceName]
        otherNames = members.map(\.name).filter { !ownNames.contains($0) }
        aps = document["aps"].map { JSONWriter.text(of: $0) }
        isMutable = document["aps"]?["mutable-content"]?.content == .integer(1)
        trace = document[Payload.traceName]?.string
        sealed = Self.sealed(document[Payload.sealedName])
        webPush = document[Payload.webPushName].map { $0.string.map { .field($0) } ?? .notAString } ?? .absent
    }

    private static func sealed(_ value: JSONValue?) -> Sealed {
        guard let value else { return .absent }
        guard let text = value.string else { return .notAString }
        do {
            return .envelope(try Envelope(sealedField: Array(text.utf8)))
        } catch {
            return .unreadable(error)
        }
    }
}
