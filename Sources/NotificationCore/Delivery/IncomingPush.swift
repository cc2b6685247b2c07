import Envelope

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
    let webPush: Field
    let trace: Trace?
    /// Request's identifier, by which a later message can remove this one.
    let requestID: String?

    init(userInfo: [AnyHashable: Any], requestID: String? = nil) {
        sealed = Field(userInfo[Payload.sealedName])
        webPush = Field(userInfo[Payload.webPushName])
        trace = (userInfo[Payload.traceName] as? String).flatMap { Trace(text: $0) }
        self.requestID = requestID
    }

    init(_ spooled: SpooledMessage) {
        switch spooled.sealed {
        case .envelope(let envelope):
            sealed = .text(String(decoding: envelope.sealedField, as: UTF8.self))
            webPush = .absent
        case .webPush(let field):
            sealed = .absent
            webPush = .text(field)
        }
        trace = spooled.trace
        requestID = nil
    }
}
