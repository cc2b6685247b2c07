import Envelope
import PushStore

/// Rates of servers' pushes: of an endpoint, of a device over all its endpoints, of an app over all its devices.
///
/// An endpoint has half of its device's rate at APNs, so that one server's flood fills no queue.
struct EndpointRates {
    enum Owner: String {
        case endpoint
        case device
        case app
    }

    /// Endpoint with the owners of its rates.
    struct Key {
        let endpoint: EndpointID
        let device: DeviceShares.Device
        let app: GatewayApp

        init(_ endpoint: PushEndpoint, _ app: GatewayApp) {
            self.endpoint = EndpointID(endpoint.hash)
            device = DeviceShares.Device(shardHash: UInt64(bitPattern: Int64(endpoint.device.hashValue)))
            self.app = app
        }
    }

    private static let keyCountMax = 20_000
    private static let appCountMax = 4_096

    private var endpoints = RateLimiter<EndpointID>(keyCountMax: keyCountMax)
    private var devices = DeviceShares(rowCountMax: keyCountMax)
    private var apps = RateLimiter<GatewayApp>(keyCountMax: appCountMax)

    /// Looks for room, and takes none.
    ///
    /// - Parameter perSecond: the app's.
    /// - Returns: nil if all three have room, or are not known; otherwise the owner without, and the time to wait.
    func wait(
        _ key: Key,
        perSecond: Int,
        _ limits: ServiceLimits,
        now: Int64
    ) -> (owner: Owner, wait: Duration)? {
        if let wait = devices.wait(key.endpoint, of: key.device, Self.deviceRate(limits), now: now) {
            return (.device, wait)
        }
        if let wait = apps.wait(of: key.app, rate: Self.rate(perSecond), now: now) { return (.app, wait) }
        return endpoints.wait(of: key.endpoint, rate: Self.endpointRate(limits), now: now).map { (.endpoint, $0) }
    }

    /// Takes a push from all three, or from none.
    ///
    /// - Parameters and result: as for `wait`.
    mutating func take(
        _ key: Key,
        perSecond: Int,
        _ limits: ServiceLimits,
        now: Int64
    ) -> (owner: Owner, wait: Duration)? {
        // A refused push takes nothing.
        if let refusal = wait(key, perSecond: perSecond, limits, now: now) { return refusal }
        if let wait = devices.take(key.endpoint, of: key.device, Self.deviceRate(limits), now: now) {
            return (.device, wait)
        }
        if let wait = endpoints.take(of: key.endpoint, rate: Self.endpointRate(limits), now: now) {
            return (.endpoint, wait)
        }
        return apps.take(of: key.app, rate: Self.rate(perSecond), now: now).map { (.app, $0) }
    }

    private static func rate<Key>(_ perSecond: Int) -> RateLimiter<Key>.Rate {
        RateLimiter<Key>.Rate(perSecond: Double(perSecond), burst: 2 * perSecond)
    }

    private static func endpointRate(_ limits: ServiceLimits) -> RateLimiter<EndpointID>.Rate {
        RateLimiter<EndpointID>.Rate(
            perSecond: Double(limits.pushesPerMinuteOfDevice) / 120,
            burst: max(1, limits.pushBurstOfDevice / 2)
        )
    }

    private static func deviceRate(_ limits: ServiceLimits) -> DeviceShares.Rate {
        DeviceShares.Rate(
            placeCount: limits.pushBurstOfDevice,
            interval: 60_000_000_000 / Int64(limits.pushesPerMinuteOfDevice)
        )
    }
}
