package import Envelope
package import Networking

/// A back end's repeated requests to the relay.
package struct ServiceLoad: Sendable {
    package enum Payload: String, CaseIterable, Sendable {
        /// A record of RFC 8291: the payload has 1,024 bytes.
        case small = "1k"
        /// The sealed field, of constant length.
        case sealed = "4k"
    }

    package enum Length: Sendable {
        case posts(Int)
        case time(Duration)
        /// Lasts until its tally is limited to the numbers given out.
        case open
    }

    package var payload = Payload.small
    package var length = Length.posts(50_000)
    package var recipientCount = 1
    package var connectionCount = 4
    package var inFlightCount = 64
    package var deviceCount = 10_000
    /// Tenants that share the devices, each with a key and connections to APNs of its own.
    package var tenantCount = 1
    /// Percentage of devices that open their notifications and send receipts.
    package var receiptPercent = 0
    /// POSTs a second, whatever the answers; nil sends the next POST after an answer.
    package var rate: Int?
    /// Maximum of accepted notifications not yet at APNs, at which posting stops; nil for as many as the relay takes.
    package var backlogMax: Int?
    /// True if each goes through its device's endpoint, as a stranger's server pushes.
    package var isThroughEndpoints = false
    /// Pushes a second through 1,000 other devices' endpoints, beside the load.
    package var strangersRate: Int?
    /// True if a few go to apps that are gone and to one that Apple does not allow: see `ServiceRecipient`.
    package var isMixed = false

    package init() {}

    package var tenants: [String] { (0..<tenantCount).map(Self.tenant) }

    static func tenant(_ number: Int) -> String { number == 0 ? "acme" : "acme-\(number)" }
}

package enum ServiceRecipient: Equatable, Sendable {
    /// A registered device.
    case device(Int)
    /// A device without the app: APNs answers 410, and the notification becomes a dead letter.
    case gone(Int)
    /// A device of an app that the key may not push to: the notification is parked.
    case parked(Int)

    /// Positions in each hundred.
    package static let goneRemainder = 7
    package static let parkedRemainder = 13
    package static let goneCount = 500
    package static let parkedCount = 100

    /// The id in the relay's registry: of constant length, and in numeric order, so that many can be written in
    /// sequence.
    package var deviceID: String {
        switch self {
        case .device(let number): "device-" + Self.digits(number)
        case .gone(let number): "absent-" + Self.digits(number)
        case .parked(let number): "parked-" + Self.digits(number)
        }
    }

    /// Number of its tenant.
    func tenant(of count: Int) -> Int {
        if case .device(let number) = self { number % count } else { 0 }
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}

/// Maps notifications to devices: all in turn, far apart from one to the next, as with real users. A small registry is
/// then as cold as a large one, but for its size.
package struct ServiceRecipients: Sendable {
    private let deviceCount: Int
    /// Coprime to `deviceCount`, so that every device has its turn before one repeats.
    private let stride: Int
    private let isMixed: Bool

    /// - Parameter deviceCount: 1 or more.
    package init(deviceCount: Int, isMixed: Bool = false) {
        precondition(deviceCount >= 1)
        self.deviceCount = deviceCount
        self.isMixed = isMixed
        var stride = max(1, deviceCount * 618 / 1_000)
        while Self.divisor(stride, deviceCount) != 1 { stride += 1 }
        self.stride = stride
    }

    package subscript(number: Int) -> ServiceRecipient {
        if isMixed {
            switch number % 100 {
            case ServiceRecipient.goneRemainder: return .gone(number / 100 % ServiceRecipient.goneCount)
            case ServiceRecipient.parkedRemainder: return .parked(number / 100 % ServiceRecipient.parkedCount)
            default: break
            }
        }
        return .device(number % deviceCount * stride % deviceCount)
    }

    package static func trace(_ number: Int) -> Trace { Trace(bytes: ServiceBodies.trace(number)) }

    private static func divisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}

package struct ServiceTarget: Sendable {
    package let port: UInt16
    /// Of each tenant.
    package let apiKeys: [String]
    package let trust: TLSTrust

    package init(port: UInt16, apiKeys: [String], trust: TLSTrust) {
        self.port = port
        self.apiKeys = apiKeys
        self.trust = trust
    }
}
