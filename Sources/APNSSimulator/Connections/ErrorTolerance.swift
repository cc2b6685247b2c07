import APNS

/// Error limits of a connection. Apple ends one after too many, soonest for BadDeviceToken, and names no number; a 410
/// is no error.
///
/// - Source: "Handling notification responses from APNs" and the older "Communicating with APNs".
struct ErrorTolerance {
    private let rules: ConnectionRules
    private var answerCount = 0
    private var errorCount = 0
    private var badTokenCount = 0

    init(_ rules: ConnectionRules) {
        self.rules = rules
    }

    /// - Parameter reason: nil for an accepted push.
    /// - Returns: true if over a limit.
    mutating func didAnswer(_ reason: Reason?) -> Bool {
        answerCount += 1
        guard let reason, reason.status != 410 else { return false }
        errorCount += 1
        if reason == .badDeviceToken { badTokenCount += 1 }
        guard answerCount >= rules.judgedAnswerCount else { return false }
        return isAbove(rules.errorPercentMax, errorCount) || isAbove(rules.badTokenPercentMax, badTokenCount)
    }

    private func isAbove(_ percentMax: Int, _ count: Int) -> Bool {
        percentMax > 0 && count * 100 > answerCount * percentMax
    }
}
