import APNS
import Envelope

/// Which devices have something in a lane's queue, so that nothing that comes later is sent before it. A value.
///
/// Known is what this process has queued. Of what was queued before, and after there were too many to remember, it is known
/// only until when: then everything goes through the queue until a look at it has found nothing so old.
struct QueuedDevices: Sendable {
    static let countMax = 65_536
    /// After so long what was being stored is stored.
    private static let patience = Duration.seconds(5)

    /// The last one that was queued for each; a lane's queue gives a device's in their order.
    private var last: [DeviceBucket.Key: APNSID] = [:]
    /// What was due by then may be in the queue unknown; nil: everything is known.
    private var unknownUntil: Timestamp?
    private var looksFrom = Timestamp(milliseconds: 0)

    /// - Parameter now: what was queued by then is not known.
    init(unknownUntil now: Timestamp) { unknownUntil = now }

    /// Whether a notification for this device may be sent without a stay in the queue.
    func mayPass(_ device: DeviceBucket.Key) -> Bool { unknownUntil == nil && last[device] == nil }

    /// One will be queued: before it is stored.
    mutating func willQueue(_ id: APNSID, for device: DeviceBucket.Key, now: Timestamp) {
        if last[device] == nil, last.count >= Self.countMax {
            last = [:]
            unknownUntil = now
            looksFrom = now.advanced(by: Self.patience)
        }
        last[device] = id
    }

    /// One is on its way, or has ended otherwise.
    mutating func didLeave(_ id: APNSID, for device: DeviceBucket.Key) {
        if last[device] == id { last[device] = nil }
    }

    /// Whether a look at the queue would tell something.
    func wantsLook(now: Timestamp) -> Bool { unknownUntil != nil && now >= looksFrom }

    /// - Parameter oldestDue: of the lane; nil for an empty queue.
    mutating func didLook(oldestDue: Timestamp?) {
        guard let unknownUntil, oldestDue.map({ $0 > unknownUntil }) ?? true else { return }
        self.unknownUntil = nil
    }
}
