/// Token buckets, one for each key, in a table that does not grow beyond its bound.
///
/// A bucket is one number, the time at which it would be full again (GCRA): a key that has been quiet costs nothing. When
/// more keys are busy than the table has rows, all further ones share one bucket: a crowd of new keys can neither grow the
/// table nor escape the limit, and known keys keep their own.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Rate: Equatable, Sendable {
        /// In the long run.
        package let perSecond: Double
        /// At once, after a rest; 1 or more.
        package let burst: Int

        package init(perSecond: Double, burst: Int) {
            precondition(perSecond > 0 && burst >= 1)
            self.perSecond = perSecond
            self.burst = burst
        }

        /// Nanoseconds that one token takes to grow; a day at most.
        fileprivate var interval: Int64 { Int64(min(1_000_000_000 / perSecond, 86_400_000_000_000)) }
        fileprivate var depth: Int64 {
            let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(burst - 1))
            return overflow ? .max / 4 : min(product, .max / 4)
        }
    }

    /// With fewer than there are known keys, those keep their rows until they are at rest.
    package var keyCountMax: Int {
        didSet {
            precondition(keyCountMax > 0)
            sweepsAt = .min
        }
    }
    /// For each key that is not at rest, when its bucket is full again: nanoseconds of a monotonic clock.
    private var fullAt: [Key: Int64] = [:]
    private var othersFullAt = Int64.min
    /// Before that, sweeping the table would find nothing.
    private var sweepsAt = Int64.min

    /// - Parameter keyCountMax: rows; one is some 50 bytes and the key.
    package init(keyCountMax: Int) {
        precondition(keyCountMax > 0)
        self.keyCountMax = keyCountMax
    }

    /// How many keys are remembered.
    package var keyCount: Int { fullAt.count }

    /// Takes `count` tokens, or none.
    ///
    /// - Parameters:
    ///   - count: 1 or more; more than the burst is never granted.
    ///   - key: whose.
    ///   - rate: its limit, which may differ from key to key.
    ///   - now: nanoseconds of a monotonic clock.
    /// - Returns: nil when they were taken; otherwise how long until they could be.
    package mutating func take(_ count: Int = 1, of key: Key, rate: Rate, now: Int64) -> Duration? {
        // Looked for once: every request comes here, and most keys are known.
        let index = fullAt.index(forKey: key)
        if index == nil, fullAt.count >= keyCountMax { sweep(now) }
        let isOther = index == nil && fullAt.count >= keyCountMax
        let full = max(isOther ? othersFullAt : index.map { fullAt.values[$0] } ?? now, now)
        let (cost, overflow) = rate.interval.multipliedReportingOverflow(by: Int64(max(1, count)))
        guard !overflow, cost - rate.interval <= rate.depth else { return .seconds(86_400) }
        let excess = full - now + cost - rate.interval - rate.depth
        guard excess <= 0 else { return .nanoseconds(excess) }
        if isOther {
            othersFullAt = full + cost
        } else if let index {
            fullAt.values[index] = full + cost
        } else {
            fullAt[key] = full + cost
        }
        return nil
    }

    /// Whether `take` would grant one token; nothing is taken. A key without a row counts as full where there may be no row
    /// for it.
    ///
    /// - Parameters:
    ///   - key: whose.
    ///   - rate: its limit.
    ///   - now: nanoseconds of the same clock.
    /// - Returns: whether there is one.
    package func hasRoom(of key: Key, rate: Rate, now: Int64) -> Bool {
        guard let full = fullAt[key] else { return fullAt.count < keyCountMax }
        return full - now <= rate.depth
    }

    /// Empties a key's bucket until then, whatever grows into it: its owner was told to slow down.
    ///
    /// - Parameters:
    ///   - key: whose.
    ///   - rate: its limit.
    ///   - until: nanoseconds of the same clock.
    ///   - now: the present.
    package mutating func block(_ key: Key, rate: Rate, until: Int64, now: Int64) {
        if fullAt[key] == nil, fullAt.count >= keyCountMax {
            sweep(now)
            guard fullAt.count < keyCountMax else { return }
        }
        fullAt[key] = max(fullAt[key] ?? now, until &+ rate.depth)
    }

    /// Forgets who is at rest: a full bucket is what a new key has.
    private mutating func sweep(_ now: Int64) {
        guard now >= sweepsAt else { return }
        fullAt = fullAt.filter { $0.value > now }
        // A full table is looked through once for each time that somebody in it comes to rest.
        sweepsAt = fullAt.count < keyCountMax ? .min : fullAt.values.min() ?? .min
    }
}
