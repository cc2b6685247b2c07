public import Envelope
public import Keys

// Messages that the extension could not open (protocol v1, rule 19).
extension AppDevice {
    /// Fetches what the extension could not: servers' messages that were too long for a push. Call it before
    /// `openSpooled`.
    ///
    /// - Throws: the relay's error, or `AppDeviceError`; the rest stays.
    public func fetchRecords(from relay: some Relay) async throws {
        var waiting: [(message: SpooledMessage, name: String)] = []
        try translated { () throws(ContainerError) in
            try container.spool.drain { message in
                if let name = container.recordName(of: IncomingPush(message)) { waiting.append((message, name)) }
                return .keep
            }
        }
        for (message, name) in waiting {
            let record = try await relay.record(name)
            try translated { () throws(ContainerError) in
                if let record { try container.spool.add(message.with(record)) }
                try container.spool.drain { $0 == message ? .done : .keep }
            }
        }
    }

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
