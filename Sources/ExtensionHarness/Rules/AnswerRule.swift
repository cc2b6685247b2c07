/// iOS's choice of the content to show after an extension's answer, and its reason.
enum AnswerRule {
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
