import APNS
import APNSSimulator
import CommandLineTool
import DeviceLink
import Envelope
import ExtensionHarness
import HTTP
import Keys
import Networking
import Platform
import Sealing

/// Calls of the page: composes, checks, seals, fires and replays (docs/playground.md).
final class Playground: ControlPages {
    private static let bodyByteCountMax = 1 << 16
    private static let recordingByteCountMax = 1 << 20
    private static let path = "/v1/playground"

    private let simulator: Simulator
    private let provider: PlaygroundProvider
    private let phone: PlaygroundPhone
    private let sender: SenderIdentity
    private let folder: SimulatorFolder
    private let report: PlaygroundReport
    private let extensionName: String
    private let files = PageFiles([
        "/": ("playground.html", PackageResources.playground_html),
        "/playground.css": ("playground.css", PackageResources.playground_css),
        "/playground.js": ("playground.js", PackageResources.playground_js),
        "/strings.js": ("strings.js", PackageResources.strings_js),
    ])
    private let isReplaying = Guarded(false)

    init(
        _ simulator: Simulator,
        _ provider: PlaygroundProvider,
        _ phone: PlaygroundPhone,
        sender: consuming SenderIdentity,
        folder: SimulatorFolder,
        report: PlaygroundReport,
        extensionName: String
    ) {
        self.simulator = simulator
        self.provider = provider
        self.phone = phone
        self.sender = sender
        self.folder = folder
        self.report = report
        self.extensionName = extensionName
    }

    var phoneToken: DeviceToken? { phone.tokens[.app] }

    /// With the secret where no request carries it.
    func address(_ control: ControlServer) -> String { "http://127.0.0.1:\(control.port)/#\(control.bearer)" }

    /// Takes pushes; returns when the phone is gone.
    func live() async { await phone.run() }

    func close() {
        phone.close()
        report.feed.close()
    }

    // MARK: ControlPages

    func file(_ request: HTTPRequest) -> HTTPAnswer? { files.answer(request) }

    func bodyByteCountMax(_ path: String) -> Int? {
        guard path == Self.path || path.hasPrefix(Self.path + "/") else { return nil }
        return path.hasSuffix("/recordings") ? Self.recordingByteCountMax : Self.bodyByteCountMax
    }

    func answer(_ request: HTTPRequest, _ responder: HTTPResponder) {
        // As many at once as the control port has connections; each ends with its answer.
        Task {
            do throws(ControlProblem) {
                responder.respond(try await answer(request))
            } catch {
                responder.respond(error.response)
            }
        }
    }

    private func answer(_ request: HTTPRequest) async throws(ControlProblem) -> HTTPAnswer {
        let call = request.path.dropFirst(Self.path.count)
        let (method, isKnown) = call.isEmpty || call == "/events" ? ("GET", true) : ("POST", Self.posts.contains(call))
        guard isKnown else {
            throw ControlProblem(404, "there is no such call of the playground; see docs/playground.md")
        }
        guard request.method == method else { throw ControlProblem(405, "this path takes \(method)", allow: method) }
        switch call {
        case "": return state
        case "/events": return try events(request)
        case "/recordings": return try await replay(request.body)
        default: break
        }
        let asked = try ControlRequest(number: nil, query: request.query, body: request.body)
        switch call {
        case "/pushes": return try await fire(try draft(asked))
        case "/checks": return try await check(try draft(asked))
        case "/copies": return try copies(try draft(asked))
        case "/messages": return try seal(asked)
        default:
            let conditions = try phone.change(asked)
            return ControlAnswer { writer in
                writer.name("conditions")
                conditions.write(to: &writer)
            }
            .response
        }
    }

    private static let posts: Set<Substring> = [
        "/pushes", "/checks", "/copies", "/messages", "/conditions", "/recordings",
    ]

    // MARK: Calls

    private var state: HTTPAnswer {
        ControlAnswer { writer in
            writer.member("topic", phone.topic.text)
            writer.member("push-port", simulator.pushPort)
            writer.member("folder", folder.path)
            writer.member("phone", phone.isConnected)
            writer.member("extension", extensionName)
            writer.name("push-types")
            writer.array { writer in
                for type in PushType.allCases {
                    writer.object { writer in
                        writer.member("name", type.rawValue)
                        writer.member("suffix", type.topicSuffix)
                        writer.member("bytes-max", type.payloadByteCountMax)
                    }
                }
            }
            writer.name("conditions")
            phone.conditions.write(to: &writer)
        }
        .response
    }

    private func events(_ request: HTTPRequest) throws(ControlProblem) -> HTTPAnswer {
        let text = request.value(of: "Last-Event-ID") ?? "0"
        guard let number = Int(text), number >= 0 else {
            throw ControlProblem("'Last-Event-ID' must be the number of an event, or absent")
        }
        return report.feed.answer(after: number)
    }

    private func draft(_ request: ControlRequest) throws(ControlProblem) -> PushDraft {
        try PushDraft(request) { phone.token(for: $0) }
    }

    private func http2Request(_ draft: PushDraft, _ id: APNSID) async throws(ControlProblem) -> HTTP2Request {
        do throws(CommandError) {
            let authorization = try await provider.authorization()
            return draft.request(id: id, authority: provider.authority, authorization: authorization)
        } catch {
            throw ControlProblem(500, "the provider's key could not sign; start the simulator again")
        }
    }

    /// Answered as soon as it is on its way: its end comes as events.
    private func fire(_ draft: PushDraft) async throws(ControlProblem) -> HTTPAnswer {
        let id = APNSID()
        let request = try await http2Request(draft, id)
        report.fired(id)
        // Ends with the request's deadline at the latest.
        Task { [provider, report] in
            do throws(TransportError) { _ = try await provider.send(request) } catch {
                report.notAnswered(id, error.sentence)
            }
        }
        return ControlAnswer(status: 202) { $0.member("apns-id", "\(id)") }.response
    }

    private func check(_ draft: PushDraft) async throws(ControlProblem) -> HTTPAnswer {
        let request = try await http2Request(draft, APNSID())
        let check = await simulator.check(request.headers, payload: request.body)
        return ControlAnswer { writer in
            writer.member("bytes", draft.payload.count)
            if let reason = check.reason {
                writer.member("status", reason.status)
                writer.member("reason", reason.rawValue)
                writer.member("advice", reason.advice)
            }
            writer.name("remarks")
            writer.array { writer in
                for lint in check.lints { writer.string(Self.sentence(of: lint, in: draft.payload)) }
            }
        }
        .response
    }

    private static func sentence(of lint: Lint, in payload: [UInt8]) -> String {
        guard case .payload(.notJSON(let offset)) = lint else { return lint.description }
        let (line, column) = JSONError.position(of: offset, in: payload)
        return "\(lint) (line \(line), column \(column))"
    }

    private func copies(_ draft: PushDraft) throws(ControlProblem) -> HTTPAnswer {
        do throws(CommandError) { try folder.writeProviderFile() } catch {
            throw ControlProblem(500, "\(TerminalText.safe(folder.path))/provider.conf could not be written")
        }
        let copy = PushCopy(draft: draft, port: simulator.pushPort, folder: folder.absolutePath)
        return ControlAnswer { writer in
            writer.member("curl", copy.curl)
            if let line = copy.commandLine { writer.member("command", line) }
            writer.member("swift", copy.swift(phone.conditions, shown: phone.shown(draft.payload)))
        }
        .response
    }

    private func seal(_ request: ControlRequest) throws(ControlProblem) -> HTTPAnswer {
        try request.allow(members: ["title", "body", "thread", "sender"])
        var message = Message(
            title: try request.optionalText("title", example: "Lunch") ?? "",
            body: try request.text("body", example: "At noon?"),
            threadID: try request.optionalText("thread", example: "team") ?? ""
        )
        message.senderName = try request.optionalText("sender", example: "Ada") ?? ""
        let sealed = try phone.seal(message, as: sender)
        let placeholder: Placeholder
        do { placeholder = try Placeholder(title: "", body: "You have a new message") } catch {
            throw ControlProblem(500, "the placeholder is too long")
        }
        return ControlAnswer { writer in
            writer.member("payload", String(decoding: sealed.payload(placeholder: placeholder), as: UTF8.self))
            writer.member("trace", sealed.trace.text)
            writer.member("truncated", sealed.isTruncated)
        }
        .response
    }

    /// One replay at a time, request by request; answered at once, results come as events.
    private func replay(_ body: [UInt8]) async throws(ControlProblem) -> HTTPAnswer {
        let replay = try await RecordingReplay(body, provider, phone.tokens[.app], report)
        let isFirst = isReplaying.withLock { isReplaying in
            defer { isReplaying = true }
            return !isReplaying
        }
        guard isFirst else { throw ControlProblem(409, "a replay is under way; wait for its end") }
        // Ends with its last request.
        Task { [isReplaying] in
            await replay.run()
            isReplaying.withLock { $0 = false }
        }
        return ControlAnswer(status: 202) { $0.member("requests", replay.requestCount) }.response
    }
}
