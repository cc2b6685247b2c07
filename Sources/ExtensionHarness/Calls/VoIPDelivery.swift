/// What became of a VoIP push.
public struct VoIPDelivery: Sendable, Equatable {
    /// How it went.
    public let why: Why
    /// What the app reported for it, as it stood when the push was dealt with; the first is `call`.
    public let calls: [ReportedCall]
    /// Whether the app called PushKit's completion.
    public let isCompleted: Bool

    /// What the app reported, nil where it reported nothing.
    public var call: ReportedCall? { calls.first }

    /// How a VoIP push went.
    public enum Why: Sendable, Equatable {
        /// The app reported a call, in time.
        case reported
        /// iOS ended the app. One that it has to end again and again may get no more VoIP pushes.
        case terminated(Termination)
        /// No registry of the app's asked for VoIP pushes, or nothing has kept it.
        case notRegistered
    }

    /// What iOS ends an app for.
    public enum Termination: Sendable, Equatable, CaseIterable {
        /// The delegate's method returned, and there was no call.
        case returnedWithoutReport
        /// The delegate's method took too long.
        case tookTooLong
    }
}

extension VoIPDelivery: CustomStringConvertible {
    /// All of it in sentences.
    public var description: String {
        let what =
            switch why {
            case .reported: "The app reported \(calls.map(\.sentence).joined(separator: ", and ")) to CallKit."
            case .terminated(.returnedWithoutReport):
                "iOS ended the app: its delegate's method returned without having reported a call to CallKit. "
                    + "Repeatedly, and the app may get no more VoIP pushes."
            case .terminated(.tookTooLong):
                "iOS ended the app: its delegate's method took too long to report a call to CallKit."
            case .notRegistered: "The app has no registry that asks for VoIP pushes, so that nothing came."
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
