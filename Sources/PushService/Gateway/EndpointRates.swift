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
        _ endpoint: CountedEndpoint,
        perSecond: Int,
        _ limits: ServiceLimits,
        now: Int64
    ) -> (owner: Owner, wait: Duration)? {
        if let wait = devices.wait(endpoint.id, of: endpoint.deviceKey, Self.deviceRate(limits), now: now) {
            return (.device, wait)
        }
        if let wait = apps.wait(of: endpoint.app, rate: Self.rate(perSecond), now: now) { return (.app, wait) }
        return endpoints.wait(of: endpoint.id, rate: Self.endpointRate(limits), now: now).map { (.endpoint, $0) }
    }

    /// Takes a push from all three, or from none.
    ///
    /// - Parameters and result: as for `wait`.
    mutating func take(
        _ endpoint: CountedEndpoint,
        perSecond: Int,
        _ limits: ServiceLimits,
        now: Int64
    ) -> (owner: Owner, wait: Duration)? {
        // A refused push takes nothing.
        if let refusal = wait(endpoint, perSecond: perSecond, limits, now: now) { return refusal }
        if let wait = devices.take(endpoint.id, of: endpoint.deviceKey, Self.deviceRate(limits), now: now) {
            return (.device, wait)
        }
        if let wait = endpoints.take(of: endpoint.id, rate: Self.endpointRate(limits), now: now) {
            return (.endpoint, wait)
        }
        return apps.take(of: endpoint.app, rate: Self.rate(perSecond), now: now).map { (.app, $0) }
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
