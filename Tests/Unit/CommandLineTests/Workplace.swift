import Envelope

/// A test's folder with the example keys at hand, and a fresh bundle of the example device.
struct Workplace: Sendable {
    static let topic = "com.example.chat"

    let folder: Folder

    init() async throws {
        folder = try Folder()
        let made = try await run(
            ["keygen", "bundle", "--device-key", Program.keys + "/device.key", "--out", "device.bundle"] + Self.allow
        )
        guard made.isDone else { throw Unexpected("no bundle: \(made)") }
    }

    static let allow = ["--allow-example-keys"]

    /// Options that name the sender and the device.
    static let parties = [
        "--sender-key", Program.keys + "/sender.key", "--bundle", "device.bundle",
        "--identity", Program.keys + "/identity.pub", "--topic", topic,
    ]

    /// Options that name the opening device and its senders.
    static let reader = ["--device-key", Program.keys + "/device.key", "--senders", Program.keys + "/sender.pub"]

    func invocation(_ arguments: [String]) -> Invocation { Invocation(arguments, in: folder) }

    func run(_ arguments: [String]) async throws -> Run { try await invocation(arguments).run() }

    func seal(_ message: String, _ options: String...) async throws -> Run {
        try await run(["seal", message] + Self.parties + Self.allow + options)
    }

    func push(_ message: String = #"{"title":"Ada","body":"Hello"}"#) async throws -> String {
        try folder.write("message.json", message)
        let sealed = try await seal("message.json", "--out", "push.json")
        guard sealed.isDone else { throw Unexpected("not sealed: \(sealed)") }
        return "push.json"
    }

    func open(_ push: String, _ options: String...) async throws -> Run {
        try await run(["open", push] + Self.reader + Self.allow + options)
    }
}
