/// Limits resends of ambiguous pushes to a tenth of all: multiplying resends prolong a fault.
struct ResendBudget {
    /// In tenths: each push earns one, each resend costs ten.
    private var tenths = 100
    private static let tenthsMax = 1_000

    mutating func didSend() { tenths = min(Self.tenthsMax, tenths + 1) }

    mutating func take() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }
}
