import Transport

/// How many requests a connection may have in flight: additive increase, multiplicative decrease, as TCP finds out what
/// a path carries (RFC 5681), with refusals in the place of losses.
///
/// APNs slows a provider down that makes errors, and cuts it off in the end. The peer's own limit holds beside this one.
struct AdaptiveLimit {
    /// Answers whose refusals are counted together.
    static let windowAnswerCount = 64
    /// More refusals than this in a window halve the limit: one in ten.
    static let refusalCountMax = 6
    static let limitMax = 1000

    private(set) var value = limitMax
    private var answerCount = 0
    private var refusalCount = 0

    /// - Parameter isRefusal: an answer that Apple counts as the provider's error.
    mutating func didAnswer(isRefusal: Bool) {
        answerCount += 1
        if isRefusal { refusalCount += 1 }
        guard refusalCount <= Self.refusalCountMax else {
            value = max(1, value / 2)
            return startWindow()
        }
        guard answerCount >= Self.windowAnswerCount else { return }
        // A sixteenth of the whole for each good window: as slow from 1 to 1,000 as a thousand good answers.
        value = min(Self.limitMax, value + Self.limitMax / 16)
        startWindow()
    }

    private mutating func startWindow() {
        answerCount = 0
        refusalCount = 0
    }
}
