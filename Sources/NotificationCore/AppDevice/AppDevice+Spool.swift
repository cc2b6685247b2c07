public import Envelope
public import Keys
import Opening

// Messages that the extension could not open (protocol v1, rule 19).
extension AppDevice {
    /// Opens spooled messages after unlocking; those still locked stay.
    ///
    /// They count as shown on return: an app that ends then loses them, but not with the variant with a closure.
    ///
    /// - Returns: oldest first, each once, none expired or repeated; the app's text for unknown senders.
    /// - Throws: `AppDeviceError`; the unopened stay.
    public func openSpooled(now: Timestamp = .now) throws(AppDeviceError) -> [NotificationContent] {
        var contents: [NotificationContent] = []
        try openSpooled(now: now) { contents.append($0) }
        return contents
    }

    /// Opens spooled messages one by one; each leaves the spool after `show` returned. An interrupted one comes again,
    /// 35 seconds later at the earliest.
    ///
    /// - Parameters:
    ///   - now: device's clock.
    ///   - show: stores the content before it returns.
    /// - Throws: `AppDeviceError`; the rest stays.
    public func openSpooled(
        now: Timestamp = .now,
        show: (NotificationContent) -> Void
    ) throws(AppDeviceError) {
        // Web Push keys exist only if the app asked.
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
            let content = container.content(opened, display: settings.display, trace: spooled.trace, now: now)
            show(content)
            if settings.keepsReceipts, let receipt = content.receipt { keep(receipt, now: now) }
        // Perhaps claimed by a process that has since ended. It expires.
        case .replay: return .keep
        // Kept for each account while no keys could be read.
        case .unknownKey where settings.account != nil: break
        case .unknownKey, .staleKey: return askAgain(for: spooled, now: now)
        case .notSealed, .malformed, .unsupported, .expired, .tooOld, .notPermitted, .superseded,
            .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted:
            break
        }
        if let claim = opened.claim {
            // Shown; at worst a repetition shows again.
            do throws(ReplayWindowError) { try window.commit(claim) } catch { return .done }
        }
        return .done
    }

    /// Prekey lost meanwhile.
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
