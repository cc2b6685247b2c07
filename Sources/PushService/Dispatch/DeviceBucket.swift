/// Push rate of each device: a token bucket, in bounded memory. APNs answers more with TooManyRequests.
package struct DeviceBucket: Sendable {
    /// A tenant's device as a hash, without token or name.
    package struct Key: Hashable, Sendable {
        let value: UInt64

        /// - Parameter shardHash: Hash of tenant and device. Devices with equal values share a bucket, which slows them
        ///   down and loses nothing.
        package init(shardHash: UInt64) { value = shardHash }
    }

    private var rate: RateLimiter<Key>.Rate
    private var limiter: RateLimiter<Key>

    /// - Parameters:
    ///   - perMinute: Average rate of pushes.
    ///   - burst: Pushes at once, after a rest.
    ///   - deviceCountMax: Busy devices that are tracked.
    package init(perMinute: Int, burst: Int, deviceCountMax: Int) {
        rate = RateLimiter<Key>.Rate(perSecond: Double(perMinute) / 60, burst: burst)
        limiter = RateLimiter(keyCountMax: deviceCountMax)
    }

    package init(_ limits: ServiceLimits) {
        self.init(
            perMinute: limits.pushesPerMinuteOfDevice,
            burst: limits.pushBurstOfDevice,
            deviceCountMax: limits.bucketCountMax
        )
    }

    /// Adopts other limits; earlier waits stay.
    package mutating func adopt(_ limits: ServiceLimits) {
        rate = Self(limits).rate
        limiter.keyCountMax = limits.bucketCountMax
    }

    /// - Parameter now: Nanoseconds of a monotonic clock.
    /// - Returns: The wait, when nothing is taken; nil: push now.
    package mutating func wait(for device: Key, now: Int64) -> Duration? {
        limiter.take(of: device, rate: rate, now: now)
    }

    /// True if `wait` would return nil; takes nothing.
    package func hasRoom(for device: Key, now: Int64) -> Bool { limiter.hasRoom(of: device, rate: rate, now: now) }

    /// Blocks a device after TooManyRequests, for 15 minutes at most.
    ///
    /// - Parameter now: Nanoseconds of the same clock.
    package mutating func slowDown(_ device: Key, for delay: Duration, now: Int64) {
        let seconds = min(max(delay, .zero), .seconds(900))
        let nanoseconds = Int64(seconds / .nanoseconds(1))
        limiter.block(device, rate: rate, until: now &+ nanoseconds, now: now)
    }
}
