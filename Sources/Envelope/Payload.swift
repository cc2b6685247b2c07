/// Push payload: a placeholder and the sealed field.
///
/// {"aps":{"alert":A,"mutable-content":1},"sealed":"S","trace":"T"} in this byte order, or for VoIP
/// {"aps":{},"sealed":"S","trace":"T"}. All alert payloads of an app have the same length.
package enum Payload {
    /// Bytes of an alert payload beside A and S.
    package static let overheadByteCount =
        alertHead.count + alertMiddle.count + traceHead.count + Trace.characterCount
        + end.count

    package static let sealedName = "sealed"
    package static let traceName = "trace"
    /// RFC 8291; never beside a sealed field.
    package static let webPushName = "webpush"
    /// The same in the coding of a draft.
    package static let draftWebPushName = "aesgcm"
    /// Hint of the endpoint of a record (docs/protocol.md, section 18).
    package static let endpointName = "endpoint"

    /// 3,923 bytes + |A|.
    package static func alert(placeholder: Placeholder, envelope: Envelope, trace: Trace) -> [UInt8] {
        precondition(envelope.pushClass == .alert)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PushClass.alert.payloadByteCountMax)
        bytes += alertHead
        bytes += placeholder.alertJSON
        bytes += alertMiddle
        return close(&bytes, envelope, trace)
    }

    /// 4,919 bytes.
    package static func voip(envelope: Envelope, trace: Trace) -> [UInt8] {
        precondition(envelope.pushClass == .voip)
        var bytes = voipHead
        return close(&bytes, envelope, trace)
    }

    private static func close(_ bytes: inout [UInt8], _ envelope: Envelope, _ trace: Trace) -> [UInt8] {
        bytes += envelope.sealedField
        bytes += traceHead
        bytes += Array(trace.text.utf8)
        bytes += end
        return bytes
    }

    private static let alertHead = Array(#"{"aps":{"alert":"#.utf8)
    private static let alertMiddle = Array(#","mutable-content":1},"sealed":""#.utf8)
    private static let voipHead = Array(#"{"aps":{},"sealed":""#.utf8)
    private static let traceHead = Array(#"","trace":""#.utf8)
    private static let end = Array(#""}"#.utf8)
}
