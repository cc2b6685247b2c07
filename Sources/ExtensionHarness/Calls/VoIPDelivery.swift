/// Result of one VoIP push.
public struct VoIPDelivery: Sendable, Equatable {
    /// Ending, with its reason.
    public let why: Why
    /// Calls that the app reported, in their state when the run ended; the first is `call`.
    public let calls: [ReportedCall]
    /// True if the app called PushKit's completion.
    public let isCompleted: Bool

    /// The first reported call.
    public var call: ReportedCall? { calls.first }

    /// Ending of a VoIP push.
    public enum Why: Sendable, Equatable {
        /// Call reported in time.
        case reported
        /// iOS ended the app; if repeated, it may get no more VoIP pushes.
        case terminated(Termination)
        /// No registry of the app asked for VoIP pushes, or the app did not keep it.
        case notRegistered
    }

    /// Reason for which iOS ends an app.
    public enum Termination: Sendable, Equatable, CaseIterable {
        /// Delegate returned without a reported call.
        case returnedWithoutReport
        /// Delegate took too long.
        case tookTooLong
    }
}

extension VoIPDelivery: CustomStringConvertible {
    /// Whole result in sentences.
    public var description: String {
        let what =
            switch why {
            case .reported: "The app reported \(calls.map(\.sentence).joined(separator: ", and ")) to CallKit."
            case .terminated(.returnedWithoutReport):
                "iOS ended the app: its delegate's method returned without having reported a call to CallKit. "
                    + "If that is repeated, iOS may stop VoIP pushes to the app."
            case .terminated(.tookTooLong):
                "iOS ended the app: its delegate's method took too long to report a call to CallKit."
            case .notRegistered: "The app has no registry for VoIP pushes, so none was delivered."
            }
        return why == .reported && !isCompleted ? what + " It has not called PushKit's completion." : what
    }
}

extension ReportedCall {
    fileprivate var sentence: String {
        switch state {
        case .ringing: "a call from \(name), which rings"
        case .answered: "a call from \(name), which was answered"
        case .hungUp: "a call from \(name), which the person ended"
        case .ended(let reason): "a call from \(name), and ended it (\(reason))"
        case .refused(let code): "a call from \(name), which CallKit refused (\(code))"
        }
    }
}
