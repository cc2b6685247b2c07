import APNS
import Envelope

/// Which devices have something in a lane's queue, so that nothing that comes later is sent before it. A value.
///
/// Known is what this process has queued. Of what was queued before, and after there were too many to remember, it is known
/// only until when: then everything goes through the queue until a look at it has found nothing so old.
///
/// Whoever leaves the queue without a word (expired, damaged, replayed as something else) counts until its deadline: from
/// then on nothing is sent of it that could be overtaken.
struct QueuedDevices: Sendable {
    static let countMax = 65_536
    /// After so long what was being stored is stored, and what was being marked is marked.
    private static let patience = Duration.seconds(5)
    /// Between two looks for those that are over.
    private static let sweepInterval = Duration.seconds(10)

    private struct Waiting {
        var count: Int
        /// The last deadline among them, and the patience.
        var until: Timestamp
        /// Something else for the device went out meanwhile.
        var wasPassed = false
    }

    /// Whose the notifications are that wait.
    private var owners: [APNSID: DeviceBucket.Key] = [:]
    private var devices: [DeviceBucket.Key: Waiting] = [:]
    /// What was due by then may be in the queue unknown; nil: everything is known.
    private var unknownUntil: Timestamp?
    private var looksFrom = Timestamp(milliseconds: 0)
    /// None is over before.
    private var firstEnd = Timestamp(milliseconds: .max)
    private var sweepsFrom = Timestamp(milliseconds: 0)

    /// - Parameter now: what was queued by then is not known.
    init(unknownUntil now: Timestamp) { unknownUntil = now }

    /// How many are remembered.
    var count: Int { owners.count }

    /// Whether a notification for this device may be sent without a stay in the queue.
    func mayPass(_ device: DeviceBucket.Key, now: Timestamp) -> Bool {
        unknownUntil == nil && (devices[device].map { $0.until <= now } ?? true)
    }

    /// One will be queued: before it is stored.
    ///
    /// - Parameters:
    ///   - id: its own.
    ///   - device: whom it is for.
    ///   - deadline: from then on it is not sent.
    ///   - now: the time.
    mutating func willQueue(_ id: APNSID, for device: DeviceBucket.Key, deadline: Timestamp, now: Timestamp) {
        if owners.count >= Self.countMax {
            owners = [:]
            devices = [:]
            unknownUntil = now
            looksFrom = now.advanced(by: Self.patience)
        }
        guard owners.updateValue(device, forKey: id) == nil else { return }
        let until = deadline.advanced(by: Self.patience)
        var waiting = devices[device] ?? Waiting(count: 0, until: until)
        waiting.count += 1
        waiting.until = max(waiting.until, until)
        devices[device] = waiting
        firstEnd = min(firstEnd, until)
    }

    /// One is on its way, has ended otherwise, or was not stored.
    mutating func didLeave(_ id: APNSID) {
        guard let device = owners.removeValue(forKey: id), var waiting = devices[device] else { return }
        waiting.count -= 1
        devices[device] = waiting.count > 0 ? waiting : nil
    }

    /// One of another lane goes out for this device, or one of this lane has lost its place.
    mutating func didPass(_ device: DeviceBucket.Key) {
        guard !devices.isEmpty, let index = devices.index(forKey: device) else { return }
        devices.values[index].wasPassed = true
    }

    /// Whether something that is queued may have been passed.
    ///
    /// - Parameters:
    ///   - device: whom it is for.
    ///   - created: when it was accepted; what came since nothing was known is known again.
    /// - Returns: whether something may have gone out to the device that came later.
    func wasPassed(_ device: DeviceBucket.Key, created: Timestamp) -> Bool {
        if let unknownUntil, created <= unknownUntil { return true }
        return !devices.isEmpty && devices[device]?.wasPassed ?? false
    }

    /// Forgets those whose deadlines are over. Most calls have nothing to do.
    mutating func forgetLate(now: Timestamp) {
        guard now >= firstEnd, now >= sweepsFrom else { return }
        sweepsFrom = now.advanced(by: Self.sweepInterval)
        devices = devices.filter { $0.value.until > now }
        owners = owners.filter { devices[$0.value] != nil }
        firstEnd = devices.values.map(\.until).min() ?? Timestamp(milliseconds: .max)
    }

    /// Whether a look at the queue would tell something.
    func wantsLook(now: Timestamp) -> Bool { unknownUntil != nil && now >= looksFrom }

    /// - Parameter oldestDue: of the lane; nil for an empty queue.
    mutating func didLook(oldestDue: Timestamp?) {
        guard let unknownUntil, oldestDue.map({ $0 > unknownUntil }) ?? true else { return }
        self.unknownUntil = nil
    }
}
