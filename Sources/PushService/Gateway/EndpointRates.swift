import APNS
import PushStore

/// Rates of servers' pushes: of an endpoint, of a device over all its endpoints, of an app over all its devices.
///
/// An endpoint has half of its device's rate at APNs, so that one server's flood leaves room for the others and fills no
/// queue.
struct EndpointRates {
    enum Owner: String {
        case endpoint
        case device
        case app
    }

    private struct App: Hashable {
        let tenant: TenantID
        let topic: [UInt8]
        let isSandbox: Bool
    }

    private static let keyCountMax = 20_000
    private static let appCountMax = 4_096

    private var endpoints = RateLimiter<[UInt8]>(keyCountMax: keyCountMax)
    private var devices = RateLimiter<DeviceKey>(keyCountMax: keyCountMax)
    private var apps = RateLimiter<App>(keyCountMax: appCountMax)

    /// Takes a push from all three, or from none.
    ///
    /// - Returns: nil on success; otherwise the owner without room, and the time to wait.
    mutating func take(
        _ target: EndpointTarget,
        perSecond: Int,
        _ limits: ServiceLimits,
        now: Int64
    ) -> (owner: Owner, wait: Duration)? {
        let device = target.endpoint.device
        let app = App(tenant: device.tenant, topic: target.topic.bytes, isSandbox: target.environment == .sandbox)
        let (endpointRate, deviceRate) = (Self.endpointRate(limits), Self.deviceRate(limits))
        let appRate = RateLimiter<App>.Rate(perSecond: Double(perSecond), burst: 2 * perSecond)
        // A refused push takes nothing from its device or app.
        guard devices.isUnknown(device) || devices.hasRoom(of: device, rate: deviceRate, now: now) else {
            return (.device, .seconds(1))
        }
        guard apps.isUnknown(app) || apps.hasRoom(of: app, rate: appRate, now: now) else { return (.app, .seconds(1)) }
        if let wait = endpoints.take(of: target.endpoint.hash, rate: endpointRate, now: now) {
            return (.endpoint, wait)
        }
        if let wait = devices.take(of: device, rate: deviceRate, now: now) { return (.device, wait) }
        return apps.take(of: app, rate: appRate, now: now).map { (.app, $0) }
    }

    private static func endpointRate(_ limits: ServiceLimits) -> RateLimiter<[UInt8]>.Rate {
        RateLimiter<[UInt8]>.Rate(
            perSecond: Double(limits.pushesPerMinuteOfDevice) / 120,
            burst: max(1, limits.pushBurstOfDevice / 2)
        )
    }

    private static func deviceRate(_ limits: ServiceLimits) -> RateLimiter<DeviceKey>.Rate {
        RateLimiter<DeviceKey>.Rate(
            perSecond: Double(limits.pushesPerMinuteOfDevice) / 60,
            burst: limits.pushBurstOfDevice
        )
    }
}
