package import APNS

/// Event of the gateway or the feedback service. Devices appear by number.
package enum LegacyEvent: Equatable, Sendable {
    /// Accepted notification. Its end follows as `.delivery` or one of the next two.
    case accepted(LegacyCommand, device: Int, byteCount: Int)
    /// Already expired on arrival.
    case expired(device: Int)
    /// The app was gone: the feedback list has an entry.
    case undeliverable(device: Int)
    /// With a packet or without.
    case ended(LegacyErrorPacket?)
    case feedbackRead(count: Int)
}

extension LegacyEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .accepted(let command, let device, let byteCount):
            "command \(command.rawValue) with \(byteCount) bytes for device \(device)"
        case .expired(let device): "already expired for device \(device)"
        case .undeliverable(let device): "no app on device \(device)"
        case .ended(.some(let packet)): "ended with status \(packet.status.rawValue) for \(packet.identifier)"
        case .ended(nil): "cut"
        case .feedbackRead(let count): "\(count) feedback entries read"
        }
    }
}
