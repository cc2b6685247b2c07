/// Token bucket of each device, in bounded memory. APNs answers more pushes with TooManyRequests.
package struct DeviceBucket: Sendable {
    package struct Key: Hashable, Sendable {
        let value: UInt64

        /// - Parameter shardHash: of tenant and device. Colliding devices share a bucket: no loss.
        package init(shardHash: UInt64) { value = shardHash }
    }

    private var rate: RateLimiter<Key>.Rate
    private var limiter: RateLimiter<Key>

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

    package mutating func adopt(_ limits: ServiceLimits) {
        rate = Self(limits).rate
        limiter.keyCountMax = limits.bucketCountMax
    }

    /// - Returns: the wait, when nothing is taken; nil: push now.
    package mutating func wait(for device: Key, now: Int64) -> Duration? {
        limiter.take(of: device, rate: rate, now: now)
    }

    /// Takes nothing.
    package func hasRoom(for device: Key, now: Int64) -> Bool { limiter.hasRoom(of: device, rate: rate, now: now) }

    /// Blocks a device after TooManyRequests, for 15 minutes at most.
    package mutating func slowDown(_ device: Key, for delay: Duration, now: Int64) {
        let seconds = min(max(delay, .zero), .seconds(900))
        let nanoseconds = Int64(seconds / .nanoseconds(1))
        limiter.block(device, rate: rate, until: now &+ nanoseconds, now: now)
    }
}
