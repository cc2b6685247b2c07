import APNS
import APNSSimulator
import CommandLineTool
import Envelope
import HTTP
import Networking

/// Recording of `simulate --record`, sent again to the page's phone, whatever its device was.
struct RecordingReplay: Sendable {
    private static let requestCountMax = 1_000
    /// Highest number of a recorded device.
    private static let deviceCountMax = 10_000

    private let plan: ReplayPlan
    private let provider: PlaygroundProvider
    private let report: PlaygroundReport

    init(
        _ body: [UInt8],
        _ provider: PlaygroundProvider,
        _ token: DeviceToken?,
        _ report: PlaygroundReport
    ) async throws(ControlProblem) {
        var exchanges: [RecordedExchange] = []
        for line in body.split(separator: UInt8(ascii: "\n")) {
            guard exchanges.count < Self.requestCountMax else {
                throw ControlProblem(
                    413,
                    "a replay has \(Self.requestCountMax) requests at most; shorten the recording"
                )
            }
            do throws(RecordingError) { exchanges.append(try RecordedExchange(line: Array(line))) } catch {
                throw ControlProblem("line \(exchanges.count + 1) is not of 'simulate --record': \(error)")
            }
        }
        guard !exchanges.isEmpty else { throw ControlProblem("the recording is empty; give lines of --record") }
        let tokens = token.map { [DeviceToken](repeating: $0, count: Self.deviceCountMax) } ?? []
        var authorizations: [Int64: [UInt8]] = [:]
        let beginning = exchanges[0].unixSeconds
        for exchange in exchanges {
            guard case .bearer(_, _, let issuedAt) = exchange.authorization else { continue }
            let seconds = issuedAt.subtractingReportingOverflow(beginning).partialValue
            guard authorizations[seconds] == nil else { continue }
            do { authorizations[seconds] = try await provider.authorization(after: seconds) } catch {
                throw ControlProblem(500, "the provider's key could not sign; start the simulator again")
            }
        }
        let known = authorizations
        do {
            plan = try ReplayPlan(exchanges, authority: provider.authority, tokens: tokens) { seconds in
                known[seconds] ?? []
            }
        } catch {
            throw ControlProblem("a line is for a device above \(Self.deviceCountMax); shorten the recording")
        }
        self.provider = provider
        self.report = report
    }

    var requestCount: Int { plan.requests.count }

    func run() async {
        var connections: [Int: HTTP2ClientConnection] = [:]
        var differenceCount = 0
        for request in plan.requests {
            do throws(TransportError) {
                let connection: HTTP2ClientConnection
                if let open = connections[request.connection] {
                    connection = open
                } else {
                    connection = try await provider.connect()
                    connections[request.connection] = connection
                }
                let answer = Self.answer(try await connection.send(request.request))
                if answer != request.expected { differenceCount += 1 }
                report.replayed(line: request.line, recorded: "\(request.expected)", answered: "\(answer)")
            } catch {
                differenceCount += 1
                connections[request.connection] = nil
                report.replayed(line: request.line, recorded: "\(request.expected)", answered: error.sentence)
            }
        }
        for connection in connections.values { await connection.close() }
        let skipped = plan.skippedLines.isEmpty ? "" : "; \(plan.skippedLines.count) faults were not sent"
        report.replayEnded("\(plan.requests.count) requests, \(differenceCount) answered differently\(skipped)")
    }

    private static func answer(_ response: HTTP2Response) -> ReplayPlan.Answer {
        let limits = JSONParser.Limits(byteCountMax: 1 << 16, depthMax: 4, allowsFractions: false)
        // `try?`: an accepted push has no body.
        let reason = try? JSONParser.parse(response.body, limits: limits)["reason"]?.string
        return ReplayPlan.Answer(status: response.status, reason: reason)
    }
}
