package import APNS

/// Recorded request and answer, without secrets that allow pushing: claims for the provider token, a number for the
/// device token.
package struct RecordedExchange: Sendable, Equatable {
    package enum Path: Sendable, Equatable {
        /// `/3/device/` and a token of this simulator.
        case device(Int)
        /// `/3/device/` and other text.
        case stranger(characterCount: Int, isHex: Bool)
        /// Other path, withheld: it may contain a token.
        case other(byteCount: Int)
    }

    package enum Authorization: Sendable, Equatable {
        /// Claims of a provider token, perhaps invalid.
        case bearer(keyID: KeyID, teamID: TeamID, issuedAt: Int64)
        case unreadable(byteCount: Int)
    }

    package enum Outcome: Sendable, Equatable {
        case answered(status: Int, Reason?)
        /// Fault in place of the answer to a valid push.
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

    /// Placeholders for the two withheld header values.
    package static let pathMark = "{path}"
    package static let authorizationMark = "{authorization}"

    /// Since the start of the recording.
    package var milliseconds: Int64
    /// Seconds since 1970 on the simulator's clock, as `issuedAt`.
    package var unixSeconds: Int64
    /// From 1, in connection order.
    package var connection: Int
    /// In original order, with pseudo-headers and duplicates.
    package var fields: [Field]
    package var path: Path
    package var authorization: Authorization?
    /// Original size of the body.
    package var bodyByteCount: Int
    package var payload: [UInt8]?
    package var answeredID: String
    package var outcome: Outcome
}
