import Envelope
import Keys

extension OutcomeKind {
    /// What is left for the app of a push that the extension could not open.
    enum Keeping: Equatable, Sendable {
        /// All of it, still sealed, in the spool: the reason may pass, and nobody has judged the message.
        case message
        /// A marker: the message can only be sealed again.
        case marker
        case nothing
    }

    /// The one place that says so; the app goes by it too, for what it finds in the spool.
    var keeping: Keeping {
        switch self {
        case .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted, .notOpenedInTime: .message
        case .unknownKey, .staleKey: .marker
        // Opened, or refused for good; what is left to the app is in the spool already.
        case .opened, .openedWithoutAttachments, .remove, .badge, .call, .test, .notSealed, .malformed, .unsupported,
            .unverifiedSender, .expired, .tooOld, .replay, .notPermitted, .superseded, .unauthenticated, .leftToApp:
            .nothing
        }
    }
}

extension SharedContainer {
    /// Keeps what the app needs of a push that cannot be opened now, and what could not be kept of earlier ones.
    func keep(_ push: IncomingPush, _ kind: OutcomeKind, isKept: Bool = false, now: Timestamp) {
        let sealed = kind.keeping == .message || isKept ? push.spooled : nil
        let message = sealed.map { SpooledMessage($0, trace: push.trace, arrivedAt: now) }
        UnkeptMessages.ofProcess.add(message, to: spool)
        keepMarker(of: push, kind, now: now)
    }

    /// Keeps a marker of a push whose prekey is missing, and nothing of any other. It is not worth failing for.
    func keepMarker(of push: IncomingPush, _ kind: OutcomeKind, now: Timestamp) {
        guard kind.keeping == .marker, let id = push.envelope.flatMap({ PrekeyID($0.header.prekeyID) }) else { return }
        do throws(ContainerError) { try resendMarkers.add(trace: push.trace, prekeyID: id, now: now) } catch {}
    }
}

extension IncomingPush {
    /// Nil where no honest push has such fields.
    fileprivate var spooled: SpooledMessage.Sealed? {
        switch (sealed, webPush) {
        case (_, .absent): envelope.map { .envelope($0) }
        case (.absent, .text(let field)): .webPush(field)
        case (.text, _), (.other, _), (.absent, .other): nil
        }
    }

    /// Nil where the sealed field is none.
    fileprivate var envelope: Envelope? {
        guard let field = sealed.text else { return nil }
        do throws(EnvelopeError) { return try Envelope(sealedField: Array(field.utf8)) } catch { return nil }
    }
}
