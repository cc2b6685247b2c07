import Envelope
import Keys
import WebPush

/// Relevant fields of a push, for any thread: iOS's dictionary stays on its own.
struct IncomingPush: Equatable, Sendable {
    /// Payload member.
    enum Field: Equatable, Sendable {
        case absent
        case text(String)
        /// Not a string.
        case other

        fileprivate init(_ value: Any?) {
            switch value {
            case nil: self = .absent
            case let text as String: self = .text(text)
            case _?: self = .other
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    let sealed: Field
    private(set) var webPush: Field
    let coding: WebPushCoding
    /// Names the endpoint of a record; absent: the record is for the app's keys of no endpoint.
    let endpoint: Field
    let trace: Trace?
    /// Request's identifier, by which a later message can remove this one.
    let requestID: String?

    init(userInfo: [AnyHashable: Any], requestID: String? = nil) {
        sealed = Field(userInfo[Payload.sealedName])
        let (standard, draft) = (Field(userInfo[Payload.webPushName]), Field(userInfo[Payload.draftWebPushName]))
        coding = standard == .absent && draft != .absent ? .aesgcm : .aes128gcm
        // No honest push has both.
        webPush = standard == .absent ? draft : draft == .absent ? standard : .other
        endpoint = Field(userInfo[Payload.endpointName])
        trace = (userInfo[Payload.traceName] as? String).flatMap { Trace(text: $0) }
        self.requestID = requestID
    }

    /// True if the relay has the record.
    var isReference: Bool { webPush == .text("") && endpointHint != nil }

    /// The same push with its record.
    func with(_ record: [UInt8]) -> IncomingPush {
        var push = self
        push.webPush = .text(Base64URL.string(record))
        return push
    }

    /// Bytes of the hint; nil without a valid one.
    var endpointHint: [UInt8]? {
        guard let text = endpoint.text, text.utf8.count <= 2 * EndpointID.hintByteCount,
            let hint = Base64URL.decode(Array(text.utf8)), hint.count == EndpointID.hintByteCount
        else { return nil }
        return hint
    }

    init(_ spooled: SpooledMessage) {
        switch spooled.sealed {
        case .envelope(let envelope):
            sealed = .text(String(decoding: envelope.sealedField, as: UTF8.self))
            (webPush, coding, endpoint) = (.absent, .aes128gcm, .absent)
        case .webPush(let field, let coding, let hint):
            self.coding = coding
            sealed = .absent
            webPush = .text(field)
            endpoint = hint.map { .text(Base64URL.string($0)) } ?? .absent
        }
        trace = spooled.trace
        requestID = nil
    }
}
