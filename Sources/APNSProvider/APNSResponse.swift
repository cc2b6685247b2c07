package import APNS

/// What APNs answered. A refusal is an answer, not an error: the table of what to do next begins with its reason.
package struct APNSResponse: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// Taken for delivery. Nothing says that it arrived.
        case accepted
        /// `nil` when the body could not be read; the status still counts.
        case rejected(RejectionBody?)
    }

    /// Apple's `apns-id`; `nil` when the answer had no readable one.
    package let id: APNSID?
    package let status: Int
    package let outcome: Outcome

    /// The reason, if it is a refusal with one that we know.
    package var reason: Reason? {
        guard case .rejected(let body) = outcome else { return nil }
        return body?.reason
    }
}
