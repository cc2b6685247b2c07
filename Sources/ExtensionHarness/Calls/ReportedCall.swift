public import CallKit

/// A call that an app has reported to CallKit.
public struct ReportedCall: Sendable, Equatable {
    /// App's id of the call.
    public let id: UUID
    /// Name on the screen: the caller's name, or else the handle; empty if the app gave neither.
    public internal(set) var name: String
    /// Handle's value, for call lists; nil if the app gave none.
    public internal(set) var handle: String?
    /// True for a video call.
    public internal(set) var hasVideo: Bool
    /// Call's state.
    public internal(set) var state: State

    /// State of a call.
    public enum State: Sendable, Equatable {
        /// Ringing.
        case ringing
        /// Answered by the person.
        case answered
        /// Declined or hung up by the person.
        case hungUp
        /// End reported by the app, with a reason.
        case ended(CXCallEndedReason)
        /// Refused, and never rang.
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
