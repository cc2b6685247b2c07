package import APNS

/// What happened on the interface of before 2021; devices by our own number.
package enum LegacyEvent: Equatable, Sendable {
    /// A notification was taken. What became of it follows as `.delivery`, unless one of the next two does.
    case accepted(LegacyCommand, device: Int, byteCount: Int)
    /// It had expired when it came.
    case expired(device: Int)
    /// The app was not there: the feedback service has an entry.
    case undeliverable(device: Int)
    /// The connection was ended with a packet, or cut without one.
    case ended(LegacyErrorPacket?)
    /// Somebody has read so many entries.
    case feedbackRead(count: Int)
}

extension LegacyEvent: CustomStringConvertible {
    /// One line for a log.
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
