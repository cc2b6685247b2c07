package import Envelope
package import Opening
package import WebPush

/// Opens a push of either format. The payload's fields decide the format, without fallback to the other (protocol v1,
/// rule 38).
package struct PushOpener: Sendable {
    private let messages: Result<MessageOpener, PushOpenerError>
    private let webPush: @Sendable (IncomingPush) -> Result<WebPushOpener?, PushOpenerError>
    private let replay: MessageOpener.ReplayProtection

    /// - Parameters:
    ///   - messages: failure if keys or contacts are unreadable.
    ///   - webPush: nil while off, the default.
    ///   - replay: window of both formats.
    package init(
        messages: Result<MessageOpener, PushOpenerError>,
        webPush: WebPushOpener?,
        replay: MessageOpener.ReplayProtection
    ) {
        self.init(messages: messages, webPush: { _ in .success(webPush) }, replay: replay)
    }

    init(
        messages: Result<MessageOpener, PushOpenerError>,
        webPush: @escaping @Sendable (IncomingPush) -> Result<WebPushOpener?, PushOpenerError>,
        replay: MessageOpener.ReplayProtection
    ) {
        self.messages = messages
        self.webPush = webPush
        self.replay = replay
    }

    package func open(userInfo: [AnyHashable: Any], now: Timestamp) -> OpenedPush {
        open(IncomingPush(userInfo: userInfo), now: now)
    }

    func open(_ push: IncomingPush, now: Timestamp) -> OpenedPush {
        // No honest push has both formats.
        guard push.sealed == .absent || push.webPush == .absent else {
            return OpenedPush(outcome: .malformed, claim: nil)
        }
        if push.webPush != .absent {
            switch webPush(push) {
            case .success(let opener?): return open(push, with: opener)
            case .failure(.locked): return OpenedPush(outcome: .locked, claim: nil)
            case .success(nil), .failure(.keysUnavailable): break
            }
        }
        guard push.sealed != .absent else { return OpenedPush(outcome: .notSealed, claim: nil) }
        guard let field = push.sealed.text else { return OpenedPush(outcome: .malformed, claim: nil) }
        switch messages {
        case .success(let opener): return opener.open(sealedField: field, now: now)
        case .failure(.locked): return OpenedPush(outcome: .locked, claim: nil)
        case .failure(.keysUnavailable): return OpenedPush(outcome: .keysUnavailable, claim: nil)
        }
    }

    private func open(_ push: IncomingPush, with opener: WebPushOpener) -> OpenedPush {
        // Kept for the app: the relay's store was not reached.
        guard !push.isReference else { return OpenedPush(outcome: .storeUnavailable, claim: nil) }
        guard let field = push.webPush.text else { return OpenedPush(outcome: .malformed, claim: nil) }
        let message: UnauthenticatedMessage
        let key: ReplayKey
        do throws(WebPushError) {
            message = try opener.open(field: field, push.coding)
            key = ReplayKey(
                digest: WebPushOpener.replayKey(ofRecord: try WebPushOpener.record(field: field, push.coding))
            )
        } catch {
            return OpenedPush(outcome: .malformed, claim: nil)
        }
        switch replay {
        case .none: return OpenedPush(outcome: .unauthenticated(message), claim: nil)
        case .unavailable: return OpenedPush(outcome: .storeUnavailable, claim: nil)
        case .window(let window):
            do throws(ReplayWindowError) {
                switch try window.claim(webPush: key) {
                case .new(let claim), .reclaimed(let claim):
                    return OpenedPush(outcome: .unauthenticated(message), claim: claim)
                case .replay: return OpenedPush(outcome: .replay, claim: nil)
                case .tooOld: return OpenedPush(outcome: .tooOld, claim: nil)
                }
            } catch {
                return OpenedPush(outcome: .storeUnavailable, claim: nil)
            }
        }
    }
}

/// Reason that no message can be opened.
package enum PushOpenerError: Error, Equatable {
    /// Before the first unlock.
    case locked
    case keysUnavailable
}
