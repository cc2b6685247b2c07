package import Envelope
package import Opening
package import WebPush

/// One push of either format → outcome. The format is what the payload's fields say, and there is no falling back from one
/// to the other (protocol v1, rule 38).
package struct PushOpener: Sendable {
    /// Why no message can be opened at all.
    package enum Unavailable: Error, Equatable {
        /// Before the first unlock.
        case locked
        case keysUnavailable
    }

    private let messages: Result<MessageOpener, Unavailable>
    private let webPush: Result<WebPushOpener?, Unavailable>
    private let replay: MessageOpener.ReplayProtection

    /// - Parameters:
    ///   - messages: a failure where the device's keys or contacts could not be read.
    ///   - webPush: nil while Web Push is off, as it is by default.
    ///   - replay: the window that both formats share.
    package init(
        messages: Result<MessageOpener, Unavailable>,
        webPush: WebPushOpener?,
        replay: MessageOpener.ReplayProtection
    ) {
        self.init(messages: messages, webPush: .success(webPush), replay: replay)
    }

    /// The same where the keys for Web Push may be locked.
    init(
        messages: Result<MessageOpener, Unavailable>,
        webPush: Result<WebPushOpener?, Unavailable>,
        replay: MessageOpener.ReplayProtection
    ) {
        self.messages = messages
        self.webPush = webPush
        self.replay = replay
    }

    /// - Parameters:
    ///   - userInfo: the payload as iOS hands it over.
    ///   - now: the device's clock.
    /// - Returns: one outcome, always.
    package func open(userInfo: [AnyHashable: Any], now: Timestamp) -> OpenedPush {
        open(IncomingPush(userInfo: userInfo), now: now)
    }

    func open(_ push: IncomingPush, now: Timestamp) -> OpenedPush {
        // Both formats in one push is nobody's honest doing.
        guard push.sealed == .absent || push.webPush == .absent else {
            return OpenedPush(outcome: .malformed, claim: nil)
        }
        if push.webPush != .absent {
            switch webPush {
            case .success(let opener?): return open(push.webPush, with: opener)
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

    private func open(_ record: IncomingPush.Field, with opener: WebPushOpener) -> OpenedPush {
        guard let field = record.text else { return OpenedPush(outcome: .malformed, claim: nil) }
        let message: UnauthenticatedMessage
        let key: ReplayKey
        do throws(WebPushError) {
            message = try opener.open(field: field)
            key = ReplayKey(
                digest: WebPushOpener.replayKey(ofRecord: try WebPushOpener.record(field: field))
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
