import Envelope
import Keys
import Opening
import Primitives

// Messages that wait in the spool, for app or extension (protocol v1, rule 19). Both may open them at once: the first
// claim shows a message, and for the other it is a replay.
extension SharedContainer {
    /// Opens waiting messages, oldest first; each leaves the spool after `show` returned.
    ///
    /// - Parameters:
    ///   - isEnough: true leaves the rest.
    ///   - show: shows or stores the content before it returns.
    /// - Throws: `ContainerError`; the rest stays.
    func openSpooled(
        with opener: PushOpener,
        display: DisplayPolicy,
        keepsReceipts: Bool,
        now: Timestamp,
        unless isEnough: () -> Bool = { false },
        show: (inout NotificationContent) -> Void
    ) throws(ContainerError) {
        try spool.drain { spooled in
            guard !isEnough() else { return .keep }
            let opened = opener.open(IncomingPush(spooled), now: now)
            guard opened.outcome.kind.keeping != .message, opened.kept == nil else { return .keep }
            switch opened.outcome {
            case .opened, .unverifiedSender, .unauthenticated:
                var content = self.content(opened, display: display, trace: spooled.trace, now: now)
                show(&content)
                if keepsReceipts, let receipt = content.receipt { keep(receipt, now: now) }
                remember(content)
            // Perhaps claimed by a process that has since ended. It expires.
            case .replay: return .keep
            // Kept for each account while no keys could be read.
            case .unknownKey where account != nil: break
            case .unknownKey, .staleKey: return askAgain(for: spooled, now: now)
            case .notSealed, .malformed, .unsupported, .expired, .tooOld, .notPermitted, .superseded,
                .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted:
                break
            }
            if let claim = opened.claim, let window {
                // Shown; at worst a repetition shows again.
                do throws(ReplayWindowError) { try window.commit(claim) } catch { return .done }
            }
            return .done
        }
    }

    /// If lost, its absence proves nothing.
    private func keep(_ receipt: DeliveryReceipt, now: Timestamp) {
        do throws(ContainerError) { try receipts.add(receipt, now: now) } catch { return }
    }

    /// Prekey lost meanwhile.
    private func askAgain(for spooled: SpooledMessage, now: Timestamp) -> Spool.Handling {
        guard let id = spooled.envelope.flatMap({ PrekeyID($0.header.prekeyID) }) else { return .done }
        do throws(ContainerError) {
            try resendMarkers.add(trace: spooled.trace, prekeyID: id, now: now)
            return .done
        } catch {
            return .keep
        }
    }
}

extension NotificationPipeline {
    /// Most waiting messages that one push shows, and the time for them.
    static let waitingCountMax = 8
    static let waitingDurationMax = Duration.seconds(3)

    /// Shows messages that wait for the app as notifications of their own, unless the app takes messages itself.
    func showWaiting(by notifications: any LocalNotifications, keepsReceipts: Bool, now: Timestamp) {
        let start = ContinuousClock.now
        var count = 0
        for container in containers where !container.foregroundLease.isHeld(now: now) {
            let opener = PushOpener(container: container, policy: policy, opensWebPush: opensWebPush)
            // What is left waits for the app.
            try? container.openSpooled(
                with: opener,
                display: display,
                keepsReceipts: keepsReceipts,
                now: now,
                unless: { count >= Self.waitingCountMax || start.duration(to: .now) > Self.waitingDurationMax }
            ) { content in
                count += 1
                let id = "sealedpush-" + Self.name(of: content)
                content.requestID = id
                // Nothing obliges the extension to show these: their placeholders are on the screen.
                if display[content.kind].isSuppressed || content.kind == .unverifiedSender {
                    content.isSuppressed = true
                }
                notifications.add(content, id: id, after: nil)
            }
        }
    }

    /// The same for each process, so that a repetition replaces the first.
    private static func name(of content: NotificationContent) -> String {
        if case .opened(let opened) = content.outcome { return opened.messageID.text }
        if let trace = content.trace { return trace }
        var random = SystemRandom()
        return Base64URL.string(random.bytes(count: 16))
    }
}
