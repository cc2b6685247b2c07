/// Limit of a connection's requests in flight: additive increase, multiplicative decrease (RFC 5681), with refusals as
/// losses. APNs slows down and finally disconnects a provider with many errors.
struct AdaptiveLimit {
    static let windowAnswerCount = 64
    /// More refusals in a window, one in ten, halve the limit.
    static let refusalCountMax = 6
    static let limitMax = 1000

    private(set) var value = limitMax
    private var answerCount = 0
    private var refusalCount = 0

    /// - Parameter isRefusal: Apple counts it as the provider's error.
    mutating func didAnswer(isRefusal: Bool) {
        answerCount += 1
        if isRefusal { refusalCount += 1 }
        guard refusalCount <= Self.refusalCountMax else {
            value = max(1, value / 2)
            return startWindow()
        }
        guard answerCount >= Self.windowAnswerCount else { return }
        // From 1 to 1,000 takes about a thousand good answers.
        value = min(Self.limitMax, value + Self.limitMax / 16)
        startWindow()
    }

    private mutating func startWindow() {
        answerCount = 0
        refusalCount = 0
    }
}
