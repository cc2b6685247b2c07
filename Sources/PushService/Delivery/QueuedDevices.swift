import APNS
import Envelope

/// Devices with queued entries, so that later ones overtake none.
///
/// Tracks this process's entries, and forgets all at `countMax`. While `unknownUntil` is set, others may be queued, and
/// all goes through the queue, until a read finds nothing so old.
///
/// An entry that leaves unnoticed (expired, damaged, replayed) counts until its deadline.
struct QueuedDevices: Sendable {
    static let countMax = 65_536
    /// Longest time of a write under way.
    private static let patience = Duration.seconds(5)
    private static let sweepInterval = Duration.seconds(10)

    private struct Waiting {
        var count: Int
        /// Last of their deadlines, plus `patience`.
        var until: Timestamp
        /// True if another notification went out meanwhile.
        var wasPassed = false
    }

    private var owners: [APNSID: DeviceBucket.Key] = [:]
    private var devices: [DeviceBucket.Key: Waiting] = [:]
    /// Entries due by then may be queued and unknown.
    private var unknownUntil: Timestamp?
    private var looksFrom = Timestamp(milliseconds: 0)
    /// Earliest end among `devices`.
    private var firstEnd = Timestamp(milliseconds: .max)
    private var sweepsFrom = Timestamp(milliseconds: 0)

    init(unknownUntil now: Timestamp) { unknownUntil = now }

    var count: Int { owners.count }

    /// True if a notification may skip the queue.
    func mayPass(_ device: DeviceBucket.Key, now: Timestamp) -> Bool {
        unknownUntil == nil && (devices[device].map { $0.until <= now } ?? true)
    }

    /// Tracks an entry before it is stored.
    mutating func willQueue(_ id: APNSID, for device: DeviceBucket.Key, deadline: Timestamp, now: Timestamp) {
        if owners.count >= Self.countMax { forget(now: now) }
        guard owners.updateValue(device, forKey: id) == nil else { return }
        let until = deadline.advanced(by: Self.patience)
        var waiting = devices[device] ?? Waiting(count: 0, until: until)
        waiting.count += 1
        waiting.until = max(waiting.until, until)
        devices[device] = waiting
        firstEnd = min(firstEnd, until)
    }

    /// Forgets all: entries queued until now may be unknown.
    mutating func forget(now: Timestamp) {
        owners = [:]
        devices = [:]
        unknownUntil = now
        looksFrom = now.advanced(by: Self.patience)
    }

    /// Ends the tracking: in flight, ended, or not stored.
    mutating func didLeave(_ id: APNSID) {
        guard let device = owners.removeValue(forKey: id), var waiting = devices[device] else { return }
        waiting.count -= 1
        devices[device] = waiting.count > 0 ? waiting : nil
    }

    mutating func didPass(_ device: DeviceBucket.Key) {
        guard !devices.isEmpty, let index = devices.index(forKey: device) else { return }
        devices.values[index].wasPassed = true
    }

    /// True if a later notification may have overtaken a queued one.
    ///
    /// - Parameter created: when the queued one was accepted.
    func wasPassed(_ device: DeviceBucket.Key, created: Timestamp) -> Bool {
        if let unknownUntil, created <= unknownUntil { return true }
        return !devices.isEmpty && devices[device]?.wasPassed ?? false
    }

    mutating func forgetLate(now: Timestamp) {
        guard now >= firstEnd, now >= sweepsFrom else { return }
        sweepsFrom = now.advanced(by: Self.sweepInterval)
        devices = devices.filter { $0.value.until > now }
        owners = owners.filter { devices[$0.value] != nil }
        firstEnd = devices.values.map(\.until).min() ?? Timestamp(milliseconds: .max)
    }

    func wantsLook(now: Timestamp) -> Bool { unknownUntil != nil && now >= looksFrom }

    /// - Parameter oldestDue: nil if the queue is empty.
    mutating func didLook(oldestDue: Timestamp?) {
        guard let unknownUntil, oldestDue.map({ $0 > unknownUntil }) ?? true else { return }
        self.unknownUntil = nil
    }
}
