public import Envelope
public import Keys

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
            try container.openSpooled(
                with: opener,
                display: settings.display,
                keepsReceipts: settings.keepsReceipts,
                now: now
            ) { show($0) }
        }
    }
}
