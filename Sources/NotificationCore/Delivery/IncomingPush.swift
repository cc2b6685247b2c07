import Envelope

/// What counts of a push, as a value that any thread may have: iOS's dictionary stays on the thread that it was handed to.
struct IncomingPush: Equatable, Sendable {
    /// A member of the payload.
    enum Field: Equatable, Sendable {
        case absent
        case text(String)
        /// There, and no string.
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
    /// What iOS calls the request, by which a later message can take this one off the screen; nil where nobody asks.
    let requestID: String?

    /// - Parameters:
    ///   - userInfo: the payload as iOS hands it over.
    ///   - requestID: `request.identifier`.
    init(userInfo: [AnyHashable: Any], requestID: String? = nil) {
        sealed = Field(userInfo[Payload.sealedName])
        webPush = Field(userInfo[Payload.webPushName])
        trace = (userInfo[Payload.traceName] as? String).flatMap { Trace(text: $0) }
        self.requestID = requestID
    }

    /// A push that was kept.
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
