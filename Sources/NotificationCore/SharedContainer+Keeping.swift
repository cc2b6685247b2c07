import Envelope
import Keys
import WebPush

extension OutcomeKind {
    /// Remains of an unopened push for the app.
    enum Keeping: Equatable, Sendable {
        /// Sealed message, in the spool: the reason may pass, and the message is not judged yet.
        case message
        /// A marker: only a re-send helps.
        case marker
        case nothing
    }

    /// Decides for the extension, and for the app's spool.
    var keeping: Keeping {
        switch self {
        case .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted, .notOpenedInTime: .message
        case .unknownKey, .staleKey: .marker
        // Opened, refused for good, or in the spool already.
        case .opened, .openedWithoutAttachments, .remove, .badge, .call, .test, .notSealed, .malformed, .unsupported,
            .unverifiedSender, .expired, .tooOld, .replay, .notPermitted, .superseded, .unauthenticated, .leftToApp,
            .muted:
            .nothing
        }
    }
}

extension SharedContainer {
    /// Keeps what the app needs of an unopened push, and retries earlier ones.
    ///
    /// - Parameter kept: the push's envelope, if it is kept whatever its kind.
    func keep(_ push: IncomingPush, _ kind: OutcomeKind, kept: Envelope? = nil, now: Timestamp) {
        let sealed = kept.map { SpooledMessage.Sealed.envelope($0) } ?? (kind.keeping == .message ? push.spooled : nil)
        let message = sealed.map { SpooledMessage($0, trace: push.trace, arrivedAt: now) }
        UnkeptMessages.ofProcess.add(message, to: spool)
        keepMarker(of: push, kind, now: now)
    }

    func keepMarker(of push: IncomingPush, _ kind: OutcomeKind, now: Timestamp) {
        guard kind.keeping == .marker, let id = push.envelope.flatMap({ PrekeyID($0.header.prekeyID) }) else { return }
        do throws(ContainerError) { try resendMarkers.add(trace: push.trace, prekeyID: id, now: now) } catch {}
    }
}

extension IncomingPush {
    /// Nil for fields that no honest push has.
    fileprivate var spooled: SpooledMessage.Sealed? {
        switch (sealed, webPush) {
        case (_, .absent): envelope.map { .envelope($0) }
        // The draft's only come by an endpoint.
        case (.absent, .text) where endpointHint == nil && (endpoint != .absent || coding == .aesgcm): nil
        case (.absent, .text(let field)): .webPush(field, coding, endpoint: endpointHint)
        case (.text, _), (.other, _), (.absent, .other): nil
        }
    }

    var envelope: Envelope? {
        guard let field = sealed.text else { return nil }
        do throws(EnvelopeError) { return try Envelope(sealedField: Array(field.utf8)) } catch { return nil }
    }
}
