package import APNS
package import Envelope
import Keys

/// Encrypted field of a payload, as text. Checks its form only.
package struct SealedField: Equatable, Sendable {
    package enum Format: String, Sendable {
        /// Envelope of docs/protocol.md, of the class's length.
        case sealed
        /// Record of RFC 8291.
        case webPush = "webpush"
        /// The same in the coding of a draft.
        case draftWebPush = "aesgcm"
    }

    /// Salt, record size, length of the key, a P-256 point and a tag (RFC 8188 section 2.1).
    private static let recordByteCountMin = 102
    package static let hintCharacterCount = (EndpointID.hintByteCount * 8 + 5) / 6

    package let format: Format
    /// Base64url.
    package let text: [UInt8]
    /// Endpoint that a server pushed the record to.
    package var endpoint: EndpointID?

    package init(sealed text: String, for pushClass: PushClass) throws(SealedFieldError) {
        let bytes = Array(text.utf8)
        let count = pushClass.sealedCharacterCount
        guard bytes.count <= count else { throw .tooLarge(byteCount: bytes.count, byteCountMax: count) }
        guard bytes.count == count, Self.isBase64URL(bytes) else {
            throw .wrong(expected: "\(count) characters of base64url, as sealing for this class makes them")
        }
        // The first two bytes, version and suite, are in the first three characters.
        guard let head = Base64URL.decode(bytes[..<4]), head[0] == EnvelopeHeader.version,
            Suite(rawValue: head[1]) != nil
        else { throw .wrong(expected: "an envelope of a version and suite that this service knows") }
        format = .sealed
        self.text = bytes
    }

    /// - Parameters:
    ///   - room: characters left in the payload.
    ///   - isDraft: true for `aesgcm`, with its header fields in front as RFC 8188 has them.
    package init(webPush text: String, isDraft: Bool = false, room: Int) throws(SealedFieldError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= room else { throw .tooLarge(byteCount: bytes.count, byteCountMax: room) }
        guard bytes.count >= Self.recordByteCountMin * 4 / 3, bytes.count % 4 != 1, Self.isBase64URL(bytes) else {
            throw .wrong(expected: "a record of RFC 8291 in base64url without padding")
        }
        format = isDraft ? .draftWebPush : .webPush
        self.text = bytes
    }

    /// A record that fits into the payload.
    ///
    /// - Parameter isDraft: as above.
    init(record: [UInt8], isDraft: Bool) throws(SealedFieldError) {
        guard record.count >= Self.recordByteCountMin else { throw .wrong(expected: "a record of RFC 8291") }
        format = isDraft ? .draftWebPush : .webPush
        text = Base64URL.encode(record)
    }

    /// Tells the device to fetch the record.
    init(fetching isDraft: Bool) {
        format = isDraft ? .draftWebPush : .webPush
        text = []
    }

    /// Advice for a whole payload (`push.json`).
    static let wholePayloadAdvice =
        "this is a whole push payload; send only the value of its member 'sealed', in base64url, without the JSON"
        + " around it"

    /// True for a payload in place of its `sealed` value: an object, or JSON text.
    static func isWholePayload(_ value: JSONValue) -> Bool {
        if let text = value.string { return text.utf8.first { !isWhiteSpace($0) } == UInt8(ascii: "{") }
        return value["aps"] != nil || value["sealed"] != nil
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isBase64URL(_ text: [UInt8]) -> Bool {
        Base64URL.isOfAlphabet(text)
    }
}

package enum SealedFieldError: Error, Equatable {
    case tooLarge(byteCount: Int, byteCountMax: Int)
    case wrong(expected: String)
}

/// Payload around the field: the app's placeholder, nothing of the sender's.
package enum SealedPayload {
    /// - Parameters:
    ///   - field: nil for a push that only wakes.
    ///   - pushType: no Live Activity's.
    /// - Returns: JSON in the byte order of docs/protocol.md, "Payload". Only an alert has the placeholder.
    package static func bytes(
        _ field: SealedField?,
        placeholder: Placeholder,
        trace: Trace,
        pushType: PushType
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        if pushType == .widgets || pushType == .controls { return contentChanged }
        // Exact: thousands may be in flight.
        let hint = field?.endpoint == nil ? 0 : endpointByteCount
        let around = alertHead.count + placeholder.alertJSON.count + alertMiddle.count + webPushName.count + hint
        let fieldByteCount = field?.text.count ?? 0
        bytes.reserveCapacity(around + fieldByteCount + traceHead.count + Trace.characterCount + end.count)
        switch pushType {
        case .alert:
            bytes += alertHead
            bytes += placeholder.alertJSON
            bytes += alertMiddle
        case .background: bytes += silentHead
        default: bytes += emptyHead
        }
        if let field {
            bytes += name(field.format)
            bytes += field.text
            bytes += fieldEnd
            if let endpoint = field.endpoint {
                bytes += endpointName
                bytes += Base64URL.string(endpoint.hint(in: trace)).utf8
                bytes += fieldEnd
            }
        }
        bytes += traceHead
        trace.appendText(to: &bytes)
        bytes += end
        return bytes
    }

    private static func name(_ format: SealedField.Format) -> [UInt8] {
        switch format {
        case .sealed: sealedName
        case .webPush: webPushName
        case .draftWebPush: draftWebPushName
        }
    }

    /// Characters left for a record of RFC 8291.
    package static func webPushRoom(placeholder: Placeholder) -> Int {
        let around = alertHead.count + alertMiddle.count + webPushName.count + fieldEnd.count
        let fixed = around + traceHead.count + end.count
        return PushClass.alert.payloadByteCountMax - fixed - placeholder.alertJSON.count - Trace.characterCount
    }

    /// Characters that a record's endpoint takes of that.
    package static let endpointByteCount = endpointName.count + SealedField.hintCharacterCount + fieldEnd.count

    private static let alertHead = Array(#"{"aps":{"alert":"#.utf8)
    private static let alertMiddle = Array(#","mutable-content":1}"#.utf8)
    /// Source: "Pushing background updates to your App".
    private static let silentHead = Array(#"{"aps":{"content-available":1}"#.utf8)
    /// Source: "Updating widgets with WidgetKit push notifications"; the same for controls.
    private static let contentChanged = Array(#"{"aps":{"content-changed":true}}"#.utf8)
    private static let emptyHead = Array(#"{"aps":{}"#.utf8)
    private static let sealedName = Array(#","sealed":""#.utf8)
    private static let webPushName = Array(#","webpush":""#.utf8)
    private static let draftWebPushName = Array(#","aesgcm":""#.utf8)
    private static let endpointName = Array(#","endpoint":""#.utf8)
    private static let fieldEnd = Array("\"".utf8)
    private static let traceHead = Array(#","trace":""#.utf8)
    private static let end = Array(#""}"#.utf8)
}
