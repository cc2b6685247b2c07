public import CallKit

/// A call that an app has reported to CallKit.
public struct ReportedCall: Sendable, Equatable {
    /// The app's.
    public let id: UUID
    /// Who calls, as the screen says it: the caller's name, or else the handle; empty where the app said neither.
    public internal(set) var name: String
    /// The handle's value, for the lists of calls; nil where the app gave none.
    public internal(set) var handle: String?
    /// Whether it has a picture.
    public internal(set) var hasVideo: Bool
    /// What has become of it.
    public internal(set) var state: State

    /// What has become of a call.
    public enum State: Sendable, Equatable {
        /// The phone rings.
        case ringing
        /// The person has answered.
        case answered
        /// The person has declined it, or hung up.
        case hungUp
        /// The app has said that it is over, and why.
        case ended(CXCallEndedReason)
        /// It never rang.
        case refused(CXErrorCodeIncomingCallError.Code)

        var isOver: Bool {
            switch self {
            case .ringing, .answered: false
            case .hungUp, .ended, .refused: true
            }
        }
    }

    init(_ id: UUID, _ update: CXCallUpdate, state: State) {
        self.id = id
        self.state = state
        (name, handle, hasVideo) = ("", nil, false)
        take(update)
    }

    mutating func take(_ update: CXCallUpdate) {
        handle = update.remoteHandle?.value
        name = update.localizedCallerName ?? handle ?? ""
        hasVideo = update.hasVideo
    }
}
