/// What iOS makes of an extension's answer: which content it shows, and why.
enum AnswerRule {
    /// `attachmentProblem` says why the system does not take one of the answer's attachments.
    static func choice(
        original: ShownContent,
        _ outcome: ExtensionOutcome,
        attachmentProblem: AttachmentProblem?,
        on conditions: Device.Conditions
    ) -> (content: ShownContent, why: ShownNotification.Why) {
        guard let answer = outcome.answer else {
            return (original, outcome.ending == .timedOut ? .timedOut : .ended(outcome.ending))
        }
        guard answer.hasAlertText else {
            return conditions.entitlements.contains(.filtering) ? (answer, .suppressed) : (original, .emptyAnswer)
        }
        if let attachmentProblem, conditions.invalidAttachment == .discardsAnswer {
            return (original, .invalidAttachment(attachmentProblem))
        }
        return (answer, outcome.isAnsweredAfterExpiry ? .expired : .answered)
    }
}
