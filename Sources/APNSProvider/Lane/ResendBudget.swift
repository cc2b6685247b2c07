/// How many unclear pushes may be sent again: a tenth of all that are sent, and a few at the start. Repetitions that
/// multiply are how a short fault becomes a long one.
struct ResendBudget {
    /// In tenths: each push earns one, each repetition costs ten.
    private var tenths = 100
    private static let tenthsMax = 1_000

    mutating func didSend() { tenths = min(Self.tenthsMax, tenths + 1) }

    /// False: this one may not.
    mutating func take() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }
}
