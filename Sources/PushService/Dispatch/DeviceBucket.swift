/// How often a device is pushed to: a token bucket for each, in bounded memory. APNs answers TooManyRequests to more.
package struct DeviceBucket: Sendable {
    /// A device of a tenant, as a hash: no token and no name is in it.
    package struct Key: Hashable, Sendable {
        let value: UInt64

        /// - Parameter shardHash: the keyed hash of tenant and device that the store shards by. Two devices with one value
        ///   share a bucket, which slows them down and loses nothing.
        package init(shardHash: UInt64) { value = shardHash }
    }

    private var rate: RateLimiter<Key>.Rate
    private var limiter: RateLimiter<Key>

    /// - Parameters:
    ///   - perMinute: pushes in the long run.
    ///   - burst: at once, after a rest.
    ///   - deviceCountMax: busy devices that are told apart.
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

    /// Other limits from now on; who had to wait waits on.
    package mutating func adopt(_ limits: ServiceLimits) {
        rate = Self(limits).rate
        limiter.keyCountMax = limits.bucketCountMax
    }

    /// - Parameters:
    ///   - device: whom the push is for.
    ///   - now: nanoseconds of a monotonic clock.
    /// - Returns: nil: push now. Otherwise how long the push has to wait; nothing was taken.
    package mutating func wait(for device: Key, now: Int64) -> Duration? {
        limiter.take(of: device, rate: rate, now: now)
    }

    /// Whether `wait` would say "now"; nothing is taken.
    package func hasRoom(for device: Key, now: Int64) -> Bool { limiter.hasRoom(of: device, rate: rate, now: now) }

    /// APNs said TooManyRequests.
    ///
    /// - Parameters:
    ///   - device: for whom.
    ///   - delay: until the next push to it.
    ///   - now: nanoseconds of the same clock.
    package mutating func slowDown(_ device: Key, for delay: Duration, now: Int64) {
        let seconds = min(max(delay, .zero), .seconds(900))
        let nanoseconds = Int64(seconds / .nanoseconds(1))
        limiter.block(device, rate: rate, until: now &+ nanoseconds, now: now)
    }
}
