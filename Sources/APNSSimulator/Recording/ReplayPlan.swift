package import APNS
package import HTTP

/// Requests in order, with their answers. A value; no socket.
package struct ReplayPlan: Sendable {
    package struct Request: Sendable {
        /// Line in the recording, from 1.
        package let line: Int
        /// Its requests share one connection again.
        package let connection: Int
        package let request: HTTP2Request
        package let expected: Answer
    }

    package struct Answer: Sendable, Equatable, CustomStringConvertible {
        package let status: Int
        package let reason: String?

        package init(status: Int, reason: String?) {
            self.status = status
            self.reason = reason
        }

        package var description: String { reason.map { "\(status) \($0)" } ?? "\(status)" }
    }

    package struct MissingToken: Error, Equatable, Sendable {
        package let line: Int
        package let device: Int
    }

    package private(set) var requests: [Request] = []
    /// Lines not sent, because their fault has no status.
    package private(set) var skippedLines: [Int] = []

    /// - Parameters:
    ///   - tokens: one for each device, from device 1.
    ///   - authorization: header's value for a token issued this many seconds after the recording's first request;
    ///     negative: before.
    /// - Throws: `MissingToken`, or errors of `authorization`.
    package init<Failure: Error>(
        _ exchanges: [RecordedExchange],
        authority: String,
        tokens: [DeviceToken],
        authorization: (Int64) throws(Failure) -> [UInt8]
    ) throws(ReplayPlanError<Failure>) {
        let beginning = exchanges.first?.unixSeconds ?? 0
        var authorizations: [Int64: [UInt8]] = [:]
        for (index, exchange) in exchanges.enumerated() {
            guard let expected = exchange.outcome.answer else {
                skippedLines.append(index + 1)
                continue
            }
            if case .device(let number) = exchange.path, !(1...max(1, tokens.count)).contains(number) || tokens.isEmpty
            {
                throw .missingToken(MissingToken(line: index + 1, device: number))
            }
            var value: [UInt8] = []
            switch exchange.authorization {
            case .bearer(_, _, let issuedAt):
                let seconds = issuedAt.subtractingReportingOverflow(beginning).partialValue
                if let known = authorizations[seconds] {
                    value = known
                } else {
                    do throws(Failure) { value = try authorization(seconds) } catch { throw .authorization(error) }
                    authorizations[seconds] = value
                }
            case .unreadable(let byteCount): value = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
            case nil: break
            }
            requests.append(
                Request(
                    line: index + 1,
                    connection: exchange.connection,
                    request: exchange.request(authority: authority, tokens: tokens, authorization: value),
                    expected: expected
                )
            )
        }
    }
}

package enum ReplayPlanError<Failure: Error>: Error {
    case missingToken(ReplayPlan.MissingToken)
    case authorization(Failure)
}

extension RecordedExchange.Outcome {
    fileprivate var answer: ReplayPlan.Answer? {
        switch self {
        case .answered(let status, let reason): ReplayPlan.Answer(status: status, reason: reason?.rawValue)
        case .injected(.request(.rejected(let reason))):
            ReplayPlan.Answer(status: reason.status, reason: reason.rawValue)
        case .injected(.dropped), .injected(.duplicated), .injected(.request(.slow)):
            ReplayPlan.Answer(status: 200, reason: nil)
        case .injected: nil
        }
    }
}

extension RecordedExchange {
    fileprivate func request(authority: String, tokens: [DeviceToken], authorization: [UInt8]) -> HTTP2Request {
        var headers = HeaderBlock()
        for field in fields {
            switch field.value {
            case Self.pathMark where field.name == ":path": headers.append(Array(field.name.utf8), pathBytes(tokens))
            case Self.authorizationMark: headers.append(Array(field.name.utf8), authorization, indexing: .neverIndexed)
            default:
                let value = field.name == ":authority" ? authority : field.value
                headers.append(Array(field.name.utf8), Array(value.utf8))
            }
        }
        return HTTP2Request(headers: headers, body: payload ?? filler)
    }

    private func pathBytes(_ tokens: [DeviceToken]) -> [UInt8] {
        switch path {
        case .device(let number): return Array("/3/device/\(tokens[number - 1].hex)".utf8)
        case .stranger(let characterCount, let isHex):
            let character = isHex ? "0" : "z"
            return Array(("/3/device/" + String(repeating: character, count: min(characterCount, 8_000))).utf8)
        case .other(let byteCount):
            return Array(("/" + String(repeating: "x", count: max(0, min(byteCount, 8_000) - 1))).utf8)
        }
    }

    /// JSON of the same length: an empty object and spaces.
    private var filler: [UInt8] {
        let byteCount = min(bodyByteCount, 1 << 20)
        guard byteCount >= 2 else { return [UInt8](repeating: UInt8(ascii: "0"), count: byteCount) }
        return Array("{}".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: byteCount - 2)
    }
}
