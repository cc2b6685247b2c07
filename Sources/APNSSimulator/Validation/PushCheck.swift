package import APNS

/// Result of a push that was checked and not sent.
package struct PushCheck: Sendable, Equatable {
    /// Refusal that it would get.
    package let reason: Reason?
    package let lints: [Lint]
}
