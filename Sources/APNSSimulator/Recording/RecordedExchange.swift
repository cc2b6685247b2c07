package import APNS

/// One request and what it was answered, without what would let its reader push: the provider token is reduced to what it
/// says of itself, the device token to our own number of the device.
package struct RecordedExchange: Sendable, Equatable {
    package enum Path: Sendable, Equatable {
        /// `/3/device/` and a token that the simulator gave out, to the device of this number.
        case device(Int)
        /// `/3/device/` and something else: how long it was, and whether it was hex.
        case stranger(characterCount: Int, isHex: Bool)
        /// Any other path: a token may be in it, too.
        case other(byteCount: Int)
    }

    package enum Authorization: Sendable, Equatable {
        /// What a provider token says; whether it was right is in the answer.
        case bearer(keyID: KeyID, teamID: TeamID, issuedAt: Int64)
        case unreadable(byteCount: Int)
    }

    package enum Outcome: Sendable, Equatable {
        case answered(status: Int, Reason?)
        /// It passed every check, and this was done instead.
        case injected(InjectedFault)
    }

    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What stands in the headers in the place of the two that are not recorded as they came.
    package static let pathMark = "{path}"
    package static let authorizationMark = "{authorization}"

    /// Since the recording began.
    package var milliseconds: Int64
    /// Seconds since 1970, on the simulator's clock: what `issuedAt` is compared with.
    package var unixSeconds: Int64
    /// From 1, in the order in which providers connected.
    package var connection: Int
    /// In the order they came, pseudo-headers and duplicates included.
    package var fields: [Field]
    package var path: Path
    /// Nil without the header.
    package var authorization: Authorization?
    /// What the body really had.
    package var bodyByteCount: Int
    /// Only where payloads are recorded.
    package var payload: [UInt8]?
    /// The answer's `apns-id`.
    package var answeredID: String
    package var outcome: Outcome
}
