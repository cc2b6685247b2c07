import APNS
import APNSProvider
import APNSSimulator
import CommandLineTool
import Envelope
import HTTP
import Networking
import Platform
import Primitives

struct SimulateReplayCommand: Command {
    static let name = "simulate replay"
    static let summary = "sends a recording of 'simulate --record' again, and compares the answers"
    static let operands = "FILE"
    static let options = [
        Option("--against", "HOST:PORT", "the server to send to, such as another simulator", isRequired: true),
        Option("--provider-key", "FILE", "the .p8 key to sign with", isRequired: true),
        Option("--key-id", "ID", "the key's ten characters", isRequired: true),
        Option("--team-id", "ID", "the team's ten characters", isRequired: true),
        Option("--tokens", "FILE", "one device token in hex per line: the first for device 1 of the recording"),
        Option("--ca", "FILE", "the authority to trust instead of the system's"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush simulate replay session.jsonl --against localhost:2197 \\
              --ca sealedpush-simulator/ca.pem \\
              --provider-key sealedpush-simulator/provider.p8 --key-id SIMULATED1 \\
              --team-id SIMULATEAM --tokens sealedpush-simulator/device.token

        Requests go one after the other. A payload that was not recorded is replaced by JSON that is as long. Exit code 1
        if an answer differs; differences are printed, one per line.
        """

    private static let fileByteCountMax = 256 << 20
    private static let tokenFileByteCountMax = 64 << 20

    private let arguments: Arguments
    private let path: String
    private let host: String
    private let port: UInt16
    private let keyID: KeyID
    private let teamID: TeamID

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        path = try arguments.operand("FILE")
        (host, port) = try arguments.hostAndPort("--against")
        keyID = try arguments.keyID()
        teamID = try arguments.teamID()
    }

    func run() async throws(CommandError) {
        let plan = try plan()
        let differences = try await send(plan)
        if arguments.flag(.json) {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("sent", plan.requests.count)
                writer.member("different", differences)
                writer.member("not-sent", plan.skippedLines.count)
            }
            try Output.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            let skipped = plan.skippedLines.isEmpty ? "" : "; \(plan.skippedLines.count) faults were not sent"
            try Output.print("\(plan.requests.count) requests, \(differences) answered differently\(skipped)")
        }
        guard differences == 0 else {
            throw .failed("\(differences) of \(plan.requests.count) requests were answered differently")
        }
    }

    private func plan() throws(CommandError) -> ReplayPlan {
        let safePath = TerminalText.safe(path)
        var exchanges: [RecordedExchange] = []
        let lines = try readInput(path, byteCountMax: Self.fileByteCountMax)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        for (index, line) in lines.enumerated() {
            do throws(RecordingError) {
                exchanges.append(try RecordedExchange(line: Array(line)))
            } catch {
                throw .failed("\(safePath):\(index + 1): not a line of 'simulate --record': \(error)")
            }
        }
        let key = try arguments.signingKey()
        let now = Int64(SystemClock.millisecondsSince1970 / 1_000)
        do {
            return try ReplayPlan(exchanges, authority: "\(host):\(port)", tokens: try tokens()) {
                seconds throws(ProviderError) in
                let issuedAt = now.addingReportingOverflow(seconds).partialValue
                return try ProviderToken(signedWith: key, keyID: keyID, teamID: teamID, issuedAt: issuedAt)
                    .authorization
            }
        } catch let error as CommandError {
            throw error
        } catch let error as ReplayPlanError<ProviderError> {
            switch error {
            case .missingToken(let missing):
                throw .failed(
                    "\(safePath):\(missing.line): device \(missing.device) has no token; "
                        + "give --tokens a file with a line for each device"
                )
            case .authorization: throw .failed("the signing key could not sign; check that it is a .p8 file")
            }
        } catch {
            throw .failed("\(safePath): \(error)")
        }
    }

    private func tokens() throws(CommandError) -> [DeviceToken] {
        guard let path = arguments.value("--tokens") else { return [] }
        let text = String(decoding: try readInput(path, byteCountMax: Self.tokenFileByteCountMax), as: UTF8.self)
        var tokens: [DeviceToken] = []
        for line in text.split(whereSeparator: \.isWhitespace) {
            do { tokens.append(try DeviceToken(hex: String(line))) } catch {
                throw .failed("\(TerminalText.safe(path)): line \(tokens.count + 1) is not a device token in hex")
            }
        }
        return tokens
    }

    private func send(_ plan: ReplayPlan) async throws(CommandError) -> Int {
        let context = try arguments.clientContext(protocol: "h2")
        var connections: [Int: HTTP2ClientConnection] = [:]
        var differenceCount = 0
        let (sent, all) = (Guarded(0), plan.requests.count)
        let progress = ProgressLine { "sent \(sent.withLock { $0 }) of \(all) requests" }
        defer { progress.end() }
        do throws(TransportError) {
            let loop = try EventLoop()
            for request in plan.requests {
                sent.withLock { $0 += 1 }
                var connection = connections[request.connection]
                if connection == nil {
                    connection = try await .connect(host: host, port: port, context: context, loop: loop)
                    connections[request.connection] = connection
                }
                let answer = await Self.answer(connection, request.request)
                guard answer != .success(request.expected) else { continue }
                differenceCount += 1
                report(request, answer)
                // A failure must not affect the next request.
                if case .failure = answer { connections[request.connection] = nil }
            }
            for connection in connections.values { await connection.close() }
        } catch {
            throw .failed("\(TerminalText.safe(host)):\(port): \(error.sentence)")
        }
        return differenceCount
    }

    private static func answer(
        _ connection: HTTP2ClientConnection?,
        _ request: HTTP2Request
    ) async -> Result<ReplayPlan.Answer, TransportError> {
        guard let connection else { return .failure(.connectionClosed) }
        do throws(TransportError) {
            let response = try await connection.send(request)
            let limits = JSONParser.Limits(byteCountMax: 1 << 16, depthMax: 4, allowsFractions: false)
            let reason = try? JSONParser.parse(response.body, limits: limits)["reason"]?.string
            return .success(ReplayPlan.Answer(status: response.status, reason: reason))
        } catch {
            return .failure(error)
        }
    }

    private func report(_ request: ReplayPlan.Request, _ answer: Result<ReplayPlan.Answer, TransportError>) {
        let words =
            switch answer {
            case .success(let answer): "answered \(answer)"
            case .failure(let error): "not answered: \(error.sentence)"
            }
        Output.complain(
            TerminalText.safe("\(path):\(request.line): recorded \(request.expected), \(words)")
        )
    }
}
