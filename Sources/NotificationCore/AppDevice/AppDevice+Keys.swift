public import Envelope
public import Keys
public import Opening
package import Primitives

// Bundles and prekeys. Only confirmed time destroys anything: not a clock that jumps, nor what somebody signed.
extension AppDevice {
    /// The bundle for senders, to be put where they fetch it: always the same bytes until the next rotation. It proves
    /// nothing about whose it is; that is what pinning `identity` is for.
    ///
    /// - Returns: the signed bytes, and their epoch for `acknowledged`.
    /// - Throws: `AppDeviceError`; `.rotationDue` where a prekey of it ran out, or where senders would take it for one of the
    ///   future.
    public func bundle() throws(AppDeviceError) -> (bytes: [UInt8], epoch: UInt64) {
        let clock = try clock(now: .now)
        return try translated { () throws(KeyRingError) in try ring.bundle(at: clock) }
    }

    /// Whether the relay should have the bundle, once more or for the first time.
    ///
    /// - Parameter now: the device's clock.
    /// - Returns: true where it lacks the newest; also where a message came that was sealed to a prekey which is not here,
    ///   if the last publication was before that and an hour ago or longer (protocol v1, rule 20).
    /// - Throws: `AppDeviceError`.
    public func needsPublication(now: Timestamp = .now) throws(AppDeviceError) -> Bool {
        if try isNewestUnpublished() { return true }
        return try translated { () throws(ContainerError) in try container.resendMarkers.needsNewBundle(now: now) }
    }

    /// The relay has the bundle of this epoch: from now on the end of older prekeys is counted, and an unusual start is
    /// told no more.
    ///
    /// - Parameters:
    ///   - epoch: of a bundle that `bundle()` gave.
    ///   - now: the device's clock.
    /// - Throws: `AppDeviceError`.
    public func acknowledged(epoch: UInt64, now: Timestamp = .now) throws(AppDeviceError) {
        let clock = try clock(now: now)
        try translated { () throws(KeyRingError) in try ring.acknowledged(epoch: epoch, at: clock) }
        // An older bundle helps nobody whose message could not be opened.
        guard try !isNewestUnpublished() else { return }
        try translated { () throws(ContainerError) in try container.resendMarkers.bundlePublished(now: now) }
    }

    /// Makes new prekeys if these are seven days old, if they are not what the settings ask for, or if the device token is
    /// another than the last one: one prekey id under both would join them (docs/protocol.md, section 14). Call it whenever
    /// the app runs.
    ///
    /// - Parameter token: what `didRegisterForRemoteNotificationsWithDeviceToken` gave; nil while the app waits for it.
    /// - Returns: whether there is a new bundle to publish, or time to be confirmed (`confirmTime`).
    /// - Throws: `AppDeviceError`; `.locked` where a prekey of the unlocked device cannot be written now.
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
        // Last: a process that is killed before it rotates once more, and no token has another's prekeys.
        try translated { () throws(FileError) in try record?.write() }
        return rotation
    }

    /// Makes new prekeys at once: the person thinks that the device was in other hands, say.
    ///
    /// - Throws: `AppDeviceError`.
    public func rotate() throws(AppDeviceError) {
        var random = SystemRandom()
        try rotate(now: .now, random: &random)
    }

    package func rotate(now: Timestamp, random: inout some RandomSource) throws(AppDeviceError) {
        let clock = try clock(now: now)
        try translated { () throws(KeyRingError) in try ring.rotate(at: clock, random: &random) }
    }

    /// Destroys the prekeys whose messages can no longer be shown, and drops what is kept for them. Call it whenever the
    /// app runs. What has passed is counted from the last confirmation (`confirmTime`): without one nothing is destroyed.
    ///
    /// - Returns: how many were destroyed.
    /// - Throws: `AppDeviceError`; then what is left goes with another call, or the next opening.
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
