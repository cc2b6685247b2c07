package import APNS
package import DeviceLink

/// The simulator's devices: who is connected, what waits for whom. Events in, effects out; no socket, no clock.
///
/// As with Apple, one push at most waits for a device that is not there: the newest. A push counts as delivered when the
/// device has acknowledged it; one that was on its way when the connection broke waits like any other.
///
/// - Source: "Sending notification requests to APNs", on storing and `apns-expiration`.
package struct DeviceDirectory {
    /// The owner's name for one open connection.
    package typealias ConnectionID = Int

    package enum Effect: Equatable, Sendable {
        case send(DevicePush, ConnectionID)
        /// The device has connected anew elsewhere.
        case close(ConnectionID)
        case happened(DeliveryEvent)
    }

    private struct Device {
        /// Our own name for it, from 1: what a log may show.
        let number: Int
        let bundleID: Topic
        var unregisteredAtMilliseconds: Int64?
        var isExpired = false
        var connection: ConnectionID?
        var unacknowledged: [DevicePush] = []
        var waiting: DevicePush?
    }

    /// A device that does not acknowledge is treated as one that is away.
    package static let unacknowledgedCountMax = 64

    private let deviceCountMax: Int
    private var devices: [DeviceToken: Device] = [:]
    private var tokens: [ConnectionID: DeviceToken] = [:]

    package init(deviceCountMax: Int = 100_000) { self.deviceCountMax = deviceCountMax }

    package var deviceCount: Int { devices.count }

    package func registration(of token: DeviceToken) -> RequestValidator.Registration? {
        guard let device = devices[token] else { return nil }
        return RequestValidator.Registration(
            bundleID: device.bundleID,
            unregisteredAtMilliseconds: device.unregisteredAtMilliseconds,
            isExpired: device.isExpired
        )
    }

    /// Our own name for the device: what a log may show.
    package func number(of token: DeviceToken) -> Int? { devices[token]?.number }

    // MARK: Devices come and go

    /// A device says hello.
    ///
    /// - Parameters:
    ///   - connection: the owner's name for it.
    ///   - bundleID: the app on the device.
    ///   - earlierToken: kept when we gave it out for this app; one that we do not know is replaced, as Apple does.
    ///   - freshToken: 32 random bytes, for a device without a usable token.
    ///   - now: seconds since 1970.
    /// - Returns: the token under which it is reached, and what follows from its being there.
    /// - Throws: the reason to refuse it.
    package mutating func connect(
        _ connection: ConnectionID,
        bundleID: Topic,
        earlierToken: DeviceToken?,
        freshToken: DeviceToken,
        now: Int64
    ) throws(DeviceRefused) -> (token: DeviceToken, effects: [Effect]) {
        var effects: [Effect] = []
        let token: DeviceToken
        if let earlierToken, let known = devices[earlierToken] {
            guard known.bundleID == bundleID else { throw DeviceRefused(refusal: .tokenOfAnotherTopic) }
            token = earlierToken
            if let old = known.connection { effects += [.close(old)] + disconnect(old, now: now) }
        } else {
            guard devices.count < deviceCountMax else { throw DeviceRefused(refusal: .tooManyDevices) }
            token = freshToken
            devices[token] = Device(number: devices.count + 1, bundleID: bundleID)
        }
        tokens[connection] = token
        devices[token]?.connection = connection
        // An app that is installed again is reachable again.
        devices[token]?.unregisteredAtMilliseconds = nil
        effects.append(.happened(.connected(device: devices[token]?.number ?? 0)))
        effects += deliverWaiting(to: token, now: now)
        return (token, effects)
    }

    /// The connection is gone; what was not acknowledged waits from now on, the newest only.
    package mutating func disconnect(_ connection: ConnectionID, now: Int64) -> [Effect] {
        guard let token = tokens.removeValue(forKey: connection), var device = devices[token] else { return [] }
        let unacknowledged = device.unacknowledged
        device.connection = nil
        device.unacknowledged = []
        devices[token] = device
        var effects: [Effect] = [.happened(.disconnected(device: device.number))]
        // What already waits came later than what was on its way.
        let later = devices[token]?.waiting
        devices[token]?.waiting = nil
        for push in unacknowledged + (later.map { [$0] } ?? []) { effects += keep(push, for: token, now: now) }
        return effects
    }

    /// The app is gone from the device, or has another token: pushes are answered 410 with this time from now on.
    package mutating func unregister(_ token: DeviceToken, atMilliseconds: Int64, isExpired: Bool = false) {
        devices[token]?.unregisteredAtMilliseconds = atMilliseconds
        devices[token]?.isExpired = isExpired
        devices[token]?.waiting = nil
    }

    // MARK: Pushes

    /// A push passed every check.
    package mutating func accept(_ push: DevicePush, for token: DeviceToken, now: Int64) -> [Effect] {
        // Field by field: a copy of the device would make the append below copy the whole list.
        guard let connection = devices[token]?.connection,
            devices[token]?.unacknowledged.count ?? 0 < Self.unacknowledgedCountMax
        else { return keep(push, for: token, now: now) }
        devices[token]?.unacknowledged.append(push)
        return [.send(push, connection)]
    }

    /// The device has the push.
    package mutating func acknowledge(_ id: APNSID, from connection: ConnectionID, now: Int64) -> [Effect] {
        guard let token = tokens[connection],
            let index = devices[token]?.unacknowledged.firstIndex(where: { $0.id == id })
        else { return [] }
        devices[token]?.unacknowledged.remove(at: index)
        return [.happened(.delivered(id, device: devices[token]?.number ?? 0))] + deliverWaiting(to: token, now: now)
    }

    private mutating func keep(_ push: DevicePush, for token: DeviceToken, now: Int64) -> [Effect] {
        guard let device = devices[token] else { return [] }
        guard push.expiration?.allowsStoring(at: now) ?? true else {
            return [.happened(.discarded(push.id, device: device.number))]
        }
        devices[token]?.waiting = push
        guard let replaced = device.waiting else { return [.happened(.stored(push.id, device: device.number))] }
        return [
            .happened(.replaced(replaced.id, device: device.number)),
            .happened(.stored(push.id, device: device.number)),
        ]
    }

    private mutating func deliverWaiting(to token: DeviceToken, now: Int64) -> [Effect] {
        guard let push = devices[token]?.waiting else { return [] }
        devices[token]?.waiting = nil
        guard push.expiration?.allowsStoring(at: now) ?? true else {
            return [.happened(.discarded(push.id, device: devices[token]?.number ?? 0))]
        }
        return accept(push, for: token, now: now)
    }
}

/// What somebody who looks after the simulator may know and do.
extension DeviceDirectory {
    /// In the order of their numbers.
    package var summaries: [DeviceSummary] {
        devices.values.map(Self.summary).sorted { $0.number < $1.number }
    }

    package func summary(of token: DeviceToken) -> DeviceSummary? { devices[token].map(Self.summary) }

    package func token(ofDevice number: Int) -> DeviceToken? { devices.first { $0.value.number == number }?.key }

    private static func summary(_ device: Device) -> DeviceSummary {
        DeviceSummary(
            number: device.number,
            bundleID: device.bundleID,
            isConnected: device.connection != nil,
            unregisteredAtMilliseconds: device.unregisteredAtMilliseconds,
            waitingCount: device.waiting == nil ? 0 : 1
        )
    }
}

/// Why a device was not taken.
package struct DeviceRefused: Error, Equatable, Sendable {
    package let refusal: DeviceFrame.Refusal
}

/// What became of a push, or of a device; devices by our own number, never by token.
package enum DeliveryEvent: Equatable, Sendable {
    case connected(device: Int)
    case disconnected(device: Int)
    /// The device has acknowledged it.
    case delivered(APNSID, device: Int)
    /// The device is away: the push waits.
    case stored(APNSID, device: Int)
    /// A newer push took its place; it will never arrive.
    case replaced(APNSID, device: Int)
    /// The device was away and the push may not wait, or not any longer.
    case discarded(APNSID, device: Int)
}
