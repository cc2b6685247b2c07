/// Token buckets by key, in a bounded table.
///
/// A bucket is the time at which it is full again (GCRA); a full one needs no row. Without free rows, further keys
/// share one bucket: they neither grow the table nor escape the limit.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Rate: Equatable, Sendable {
        package let perSecond: Double
        /// 1 or more.
        package let burst: Int

        package init(perSecond: Double, burst: Int) {
            precondition(perSecond > 0 && burst >= 1)
            self.perSecond = perSecond
            self.burst = burst
        }

        fileprivate var interval: Int64 { Int64(min(1_000_000_000 / perSecond, 86_400_000_000_000)) }
        fileprivate var depth: Int64 {
            let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(burst - 1))
            return overflow ? .max / 4 : min(product, .max / 4)
        }
    }

    /// If lowered, known keys keep their rows until their buckets are full.
    package var keyCountMax: Int {
        didSet {
            precondition(keyCountMax > 0)
            sweepsAt = .min
        }
    }
    /// Nanoseconds of a monotonic clock.
    private var fullAt: [Key: Int64] = [:]
    private var othersFullAt = Int64.min
    private var sweepsAt = Int64.min

    /// - Parameter keyCountMax: rows of some 50 bytes and the key.
    package init(keyCountMax: Int) {
        precondition(keyCountMax > 0)
        self.keyCountMax = keyCountMax
    }

    package var keyCount: Int { fullAt.count }

    /// Takes `count` tokens, or none. More than the burst is never granted.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: nil on success; otherwise the time to wait.
    package mutating func take(_ count: Int = 1, of key: Key, rate: Rate, now: Int64) -> Duration? {
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

    /// Looks for one token, and takes none.
    ///
    /// - Returns: nil if it is there, or without a row; otherwise the time to wait.
    package func wait(of key: Key, rate: Rate, now: Int64) -> Duration? {
        guard let full = fullAt[key], full - now > rate.depth else { return nil }
        return .nanoseconds(full - now - rate.depth)
    }

    /// Checks for one token. False for an unknown key while the table is full.
    package func hasRoom(of key: Key, rate: Rate, now: Int64) -> Bool {
        guard let full = fullAt[key] else { return fullAt.count < keyCountMax }
        return full - now <= rate.depth
    }

    /// Keeps a bucket empty until then. No effect for a key without a row.
    package mutating func block(_ key: Key, rate: Rate, until: Int64, now: Int64) {
        if fullAt[key] == nil, fullAt.count >= keyCountMax {
            sweep(now)
            guard fullAt.count < keyCountMax else { return }
        }
        fullAt[key] = max(fullAt[key] ?? now, until &+ rate.depth)
    }

    private mutating func sweep(_ now: Int64) {
        guard now >= sweepsAt else { return }
        fullAt = fullAt.filter { $0.value > now }
        sweepsAt = fullAt.count < keyCountMax ? .min : fullAt.values.min() ?? .min
    }
}
