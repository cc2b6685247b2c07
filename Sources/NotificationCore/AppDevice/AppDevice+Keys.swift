public import Envelope
public import Keys
public import Opening
package import Primitives

// Only confirmed time destroys prekeys: no clock that jumps, no signed date.
extension AppDevice {
    /// Bundle for senders, constant until rotation. It does not prove its owner; pinning `identity` does.
    ///
    /// - Returns: signed bytes, and their epoch for `acknowledged`.
    /// - Throws: `.rotationDue` if a prekey expired or senders would take it for a future one.
    public func bundle() throws(AppDeviceError) -> (bytes: [UInt8], epoch: UInt64) {
        let clock = try clock(now: .now)
        return try translated { () throws(KeyRingError) in try ring.bundle(at: clock) }
    }

    /// True if the relay lacks the newest bundle, or if a message for a missing prekey came since the last publication,
    /// an hour ago or longer (protocol v1, rule 20).
    public func needsPublication(now: Timestamp = .now) throws(AppDeviceError) -> Bool {
        if try isNewestUnpublished() { return true }
        return try translated { () throws(ContainerError) in try container.resendMarkers.needsNewBundle(now: now) }
    }

    /// Records that the relay has the bundle of this epoch, from `bundle()`: older prekeys begin to expire, and `open`
    /// reports no unusual start.
    public func acknowledged(epoch: UInt64, now: Timestamp = .now) throws(AppDeviceError) {
        let clock = try clock(now: now)
        try translated { () throws(KeyRingError) in try ring.acknowledged(epoch: epoch, at: clock) }
        // An older bundle does not help those senders.
        guard try !isNewestUnpublished() else { return }
        try translated { () throws(ContainerError) in try container.resendMarkers.bundlePublished(now: now) }
    }

    /// Makes new prekeys if these are seven days old, differ from the settings, or belong to another token: one prekey
    /// id under two would link them (docs/protocol.md, section 14). Call it whenever the app runs.
    ///
    /// - Parameter token: from `didRegisterForRemoteNotificationsWithDeviceToken`; nil until then.
    /// - Returns: whether to publish a bundle or confirm the time.
    /// - Throws: `AppDeviceError`; `.locked` if a prekey of class 2 cannot be written now.
    public func rotateIfDue(token: [UInt8]? = nil) throws(AppDeviceError) -> Rotation {
        var random = SystemRandom()
        return try rotateIfDue(token: token, now: .now, random: &random)
    }

    package func rotateIfDue(
        token: [UInt8]? = nil,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> Rotation {
        let clock = try clock(now: now)
        let record = token.map { TokenRecord(path: settings.tokenRecordPath, token: $0) }
        let isOtherToken = try translated { () throws(FileError) in try record?.isOther() ?? false }
        let rotation = try translated { () throws(KeyRingError) in
            if isOtherToken {
                try ring.rotate(at: clock, random: &random)
                return Rotation.rotated
            }
            return try ring.rotateIfDue(at: clock, random: &random)
        }
        // Last: after a kill this rotates again, and no two tokens share prekeys.
        try translated { () throws(FileError) in try record?.write() }
        return rotation
    }

    /// Makes new prekeys at once, after theft for example.
    public func rotate() throws(AppDeviceError) {
        var random = SystemRandom()
        try rotate(now: .now, random: &random)
    }

    package func rotate(now: Timestamp, random: inout some RandomSource) throws(AppDeviceError) {
        let clock = try clock(now: now)
        try translated { () throws(KeyRingError) in try ring.rotate(at: clock, random: &random) }
    }

    /// Destroys prekeys whose messages can no longer be shown, and their spooled messages. Call it whenever the app
    /// runs. Time counts up to the last `confirmTime`; without it nothing is destroyed.
    ///
    /// - Returns: number destroyed.
    /// - Throws: `AppDeviceError`; another call does the rest.
    @discardableResult
    public func destroyDue() throws(AppDeviceError) -> Int {
        // The device's clock destroys nothing.
        let clock = try clock(now: .now)
        let destroyed = try translated { () throws(KeyRingError) in try ring.destroyDue(at: clock) }
        if !destroyed.isEmpty {
            try translated { () throws(ContainerError) in try container.spool.drop(sealedTo: destroyed) }
        }
        return destroyed.count
    }

    private func isNewestUnpublished() throws(AppDeviceError) -> Bool {
        try translated { () throws(KeyRingError) in try ring.needsPublication() }
    }

    private func clock(now: Timestamp) throws(AppDeviceError) -> RingClock {
        try settings.clock(now: now, window: window)
    }
}

extension AppDevice.Settings {
    func clock(now: Timestamp, window: ReplayWindow) throws(AppDeviceError) -> RingClock {
        let time = try translated { () throws(ReplayWindowError) in try window.time() }
        return RingClock(now: now, known: time.since(policy.buildDate))
    }
}
