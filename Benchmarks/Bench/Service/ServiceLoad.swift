package import Envelope
package import Transport

/// What a back end asks of the relay, over and over.
package struct ServiceLoad: Sendable {
    /// What a notification carries.
    package enum Payload: String, CaseIterable, Sendable {
        /// A record of RFC 8291: the payload has 1,024 bytes.
        case small = "1k"
        /// The sealed field, of constant length.
        case sealed = "4k"
    }

    /// When a load is over.
    package enum Length: Sendable {
        case posts(Int)
        case time(Duration)
        /// When its tally is limited to what was given out.
        case open
    }

    package var payload = Payload.small
    package var length = Length.posts(50_000)
    /// Of one POST.
    package var recipientCount = 1
    package var connectionCount = 4
    /// POSTs of each connection that await their answers.
    package var inFlightCount = 64
    package var deviceCount = 10_000
    /// Of a hundred devices so many open what they get and say so.
    package var receiptPercent = 0
    /// POSTs a second, whatever is answered; nil: the next one when one was answered.
    package var rate: Int?
    /// Nothing is posted while so many notifications were accepted and are not at APNs; nil: as many as the relay takes.
    package var backlogMax: Int?
    /// Whether a few go to apps that are gone and to one that Apple does not allow: see `ServiceRecipient`.
    package var isMixed = false

    package init() {}
}

/// To whom the notification of a number goes.
package enum ServiceRecipient: Equatable, Sendable {
    /// A device that is there.
    case device(Int)
    /// Its app is gone: APNs answers 410, and the notification is a dead letter.
    case gone(Int)
    /// Of an app that the key is not allowed for: the notification is parked.
    case parked(Int)

    /// Both of a hundred.
    package static let goneRemainder = 7
    package static let parkedRemainder = 13
    package static let goneCount = 500
    package static let parkedCount = 100

    /// The id in the relay's registry: as long for each, and in the order of the numbers, so that many can be written
    /// one behind the other.
    package var deviceID: String {
        switch self {
        case .device(let number): "device-" + Self.digits(number)
        case .gone(let number): "absent-" + Self.digits(number)
        case .parked(let number): "parked-" + Self.digits(number)
        }
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}

/// Which device each notification goes to: all of them in turn, far apart from one to the next, as people are. A small
/// registry is then as cold as a large one, but for its size.
package struct ServiceRecipients: Sendable {
    private let deviceCount: Int
    /// Without a factor in common with `deviceCount`: so many notifications in a row go to as many devices.
    private let stride: Int
    private let isMixed: Bool

    /// - Parameters:
    ///   - deviceCount: 1 or more.
    ///   - isMixed: see `ServiceLoad`.
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

    /// By which a notification is found in the store.
    package static func trace(_ number: Int) -> Trace { Trace(bytes: ServiceBodies.trace(number)) }

    private static func divisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}

/// Where the relay is.
package struct ServiceTarget: Sendable {
    package let port: UInt16
    package let apiKey: String
    package let trust: TLSTrust

    package init(port: UInt16, apiKey: String, trust: TLSTrust) {
        self.port = port
        self.apiKey = apiKey
        self.trust = trust
    }
}
