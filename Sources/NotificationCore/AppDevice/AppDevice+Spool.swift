public import Envelope
public import Keys
import Opening

// Messages that the extension could not open when they came (protocol v1, rule 19).
extension AppDevice {
    /// Opens what the extension could not, now that the device is unlocked. What is still locked stays.
    ///
    /// The messages are remembered as shown when this returns. An app that is ended before it shows them has lost them;
    /// where that matters, hand over a closure.
    ///
    /// - Parameter now: the device's clock.
    /// - Returns: oldest first, each once; for well-signed messages of unknown senders, the app's words. Nothing of what
    ///   expired or was shown before.
    /// - Throws: `AppDeviceError`; what was not opened stays.
    public func openSpooled(now: Timestamp = .now) throws(AppDeviceError) -> [NotificationContent] {
        var contents: [NotificationContent] = []
        try openSpooled(now: now) { contents.append($0) }
        return contents
    }

    /// The same, one by one: a message leaves the spool after `show` has returned. One whose showing was cut short is
    /// handed over again, 35 seconds later at the earliest.
    ///
    /// - Parameters:
    ///   - now: the device's clock.
    ///   - show: takes what is to be shown, and has it safe when it returns.
    /// - Throws: `AppDeviceError`; what was not handed over stays.
    public func openSpooled(
        now: Timestamp = .now,
        show: (NotificationContent) -> Void
    ) throws(AppDeviceError) {
        // There are keys for Web Push only where the app asked for them.
        let opener = PushOpener(container: container, policy: settings.policy, opensWebPush: true)
        try translated { () throws(ContainerError) in
            try container.spool.drain { open($0, with: opener, now: now, show: show) }
        }
    }

    private func open(
        _ spooled: SpooledMessage,
        with opener: PushOpener,
        now: Timestamp,
        show: (NotificationContent) -> Void
    ) -> Spool.Handling {
        let opened = opener.open(IncomingPush(spooled), now: now)
        guard opened.outcome.kind.keeping != .message else { return .keep }
        switch opened.outcome {
        case _ where opened.isKept: return .keep
        case .opened, .unverifiedSender, .unauthenticated:
            let content = container.content(opened, display: settings.display, trace: spooled.trace)
            show(content)
            if settings.keepsReceipts, let receipt = content.receipt { keep(receipt, now: now) }
        // Or claimed a moment ago by a process that was ended since. It expires soon enough.
        case .replay: return .keep
        case .unknownKey, .staleKey: return askAgain(for: spooled, now: now)
        case .notSealed, .malformed, .unsupported, .expired, .tooOld, .notPermitted, .superseded,
            .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted:
            break
        }
        if let claim = opened.claim {
            // It was shown. The worst that follows is that it is shown once more, should somebody send it again.
            do throws(ReplayWindowError) { try window.commit(claim) } catch { return .done }
        }
        return .done
    }

    /// Its prekey was lost while it lay here: its sender can seal it anew.
    private func askAgain(for spooled: SpooledMessage, now: Timestamp) -> Spool.Handling {
        guard let id = spooled.envelope.flatMap({ PrekeyID($0.header.prekeyID) }) else { return .done }
        do throws(ContainerError) {
            try container.resendMarkers.add(trace: spooled.trace, prekeyID: id, now: now)
            return .done
        } catch {
            return .keep
        }
    }
}
