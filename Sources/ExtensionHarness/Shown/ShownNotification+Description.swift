extension ShownNotification: CustomStringConvertible {
    /// Shown texts, and iOS's action with its reason.
    public var description: String {
        let texts = [content.title, content.subtitle, content.body].filter { !$0.isEmpty }
        let text = texts.isEmpty ? "no text" : texts.map { "“\($0)”" }.joined(separator: " / ")
        return "\(text). \(explanation)"
    }

    /// iOS's action and its reason, in sentences.
    public var explanation: String {
        ([why.sentence, ending.flatMap { sentence(of: $0) }, presentation.place.sentence, presentation.sound.sentence]
            + [time.sentence, repeated.isEmpty ? nil : "The push reached the extension \(repeated.count + 1) times."])
            .compactMap { $0 }
            .joined(separator: " ")
    }

    private func sentence(of ending: Ending) -> String? {
        switch (why, ending) {
        case (.ended, _), (.timedOut, _), (_, .returned): nil
        default: ending.sentence
        }
    }
}

extension ShownNotification.Why {
    fileprivate var sentence: String {
        switch self {
        case .answered: "iOS shows the extension's answer."
        case .expired: "iOS shows the answer that the extension gave when its time was over."
        case .timedOut: "iOS shows the original: the extension never called its content handler, and was ended."
        case .emptyAnswer:
            """
            iOS shows the original: the answer has no title, subtitle or body, and the app is not entitled to filter \
            notifications.
            """
        case .suppressed: "iOS shows nothing: the answer has no text, and the app is entitled to filter notifications."
        case .invalidAttachment(let problem): "iOS shows the original: \(problem.clause)."
        case .ended(let ending): "iOS shows the original: the extension had not answered. \(ending.sentence)"
        case .posted: "iOS shows what extension or app posted itself."
        case .notRun(let reason): "iOS does not run the extension: \(reason.clause)."
        }
    }
}

extension ShownNotification.NotRunReason {
    fileprivate var clause: String {
        switch self {
        case .notMutable: "aps has no mutable-content with the value 1"
        case .noVisibleAlert: "the push has no alert text"
        case .alertsOff: "the person turned the app's notifications off"
        case .notStarted: "it has stopped starting extensions until the phone restarts"
        }
    }
}

extension AttachmentProblem {
    fileprivate var clause: String {
        switch self {
        case .missing: "an attachment's file does not exist"
        case .unrecognized: "iOS does not know an attachment's type"
        case .tooLarge(let byteCount, let byteCountMax):
            "an attachment has \(byteCount) bytes, more than the \(byteCountMax) of its kind"
        case .corrupt: "an attachment's bytes are not of its type"
        case .notMoved: "an attachment's file could not be moved into the system's store"
        }
    }
}

extension Ending {
    fileprivate var sentence: String {
        switch self {
        case .returned: "It returned."
        case .timedOut: "iOS ended the process when its time was over."
        case .terminatedForSecondAnswer: "iOS ended the process: the content handler may be called once only."
        case .killedForMemory(let peakByteCount):
            "iOS killed the process without a warning: it used \(peakByteCount) bytes of memory."
        case .killedHoldingLock:
            "iOS killed the process (0xdead10cc): it held a lock on a shared file when it was to be suspended."
        case .crashed(let signal): "The process crashed with signal \(signal)."
        case .exited(let status): "The process exited with status \(status)."
        case .hostFailed: "The process could not be started, or did not speak the harness's protocol."
        }
    }
}

extension Presentation.Place {
    fileprivate var sentence: String? {
        switch self {
        case .banner(.noFocus): nil
        case .banner(.allowedApp): "It lights the screen: the Focus allows this app."
        case .banner(.timeSensitive): "It passes the Focus: it is time-sensitive, and the app may send such."
        case .banner(.critical): "It passes the Focus: it is critical, and the app may send such."
        case .list(.passive): "It is only listed: its interruption level is passive."
        case .list(.provisional): "It is only listed: the app has provisional authorization."
        case .list(.focus): "It is only listed: a Focus silences it."
        case .inApp(banner: true, _): "The app is in front, and its delegate shows a banner."
        case .inApp(banner: false, list: true): "The app is in front, and its delegate only lists it."
        case .inApp(banner: false, list: false): "The app is in front, and its delegate does not show it."
        case .nowhere(.alertsOff): "Nothing is shown: the person turned the app's notifications off."
        case .nowhere(.suppressed): nil
        case .nowhere(.noAlertText): "Nothing is shown: it has no alert text."
        }
    }
}

extension Presentation.Sound {
    fileprivate var sentence: String? {
        switch self {
        case .none, .plays: nil
        case .silenced(.muted): "Its sound does not play: the phone is muted, and the sound not critical."
        case .silenced(.notInterrupting): "Its sound does not play: the notification does not interrupt."
        case .silenced(.app): "Its sound does not play: the app in front did not ask for it."
        }
    }
}

extension TimeUsed {
    fileprivate var sentence: String? {
        switch self {
        case .none: nil
        case .virtual: "Its time was the device's own clock, which passed at once."
        case .scaled(let factor): "Its time was real time, \(factor) times as fast."
        case .real: "Its time was real time."
        }
    }
}

extension ShownNotification {
    func following(_ earlier: [ShownNotification]) -> ShownNotification {
        var copy = self
        copy.repeated = earlier
        return copy
    }
}
