import CommandLineTool
import Glibc

/// The same push for a terminal or a test suite.
struct PushCopy {
    let draft: PushDraft
    let port: UInt16
    /// The simulator's, with its keys.
    let folder: String

    /// For an hour from the writing of `provider.conf`.
    var curl: String {
        let fields = draft.fields.map { "-H \(Self.quoted("\($0.name): \($0.value)"))" }
        return
            (["curl -i -K \(Self.quoted(folder + "/provider.conf"))"] + fields
            + ["--data-raw \(Self.quoted(payload))", Self.quoted("https://localhost:\(port)/3/device/\(draft.token)")])
            .joined(separator: " \\\n    ")
    }

    /// nil for a push that `sealedpush send` does not make.
    var commandLine: String? {
        guard ["alert", "voip"].contains(draft.pushType), let topic = draft.value("apns-topic"), !payload.isEmpty,
            ["", "0"].contains(draft.value("apns-expiration") ?? "")
        else { return nil }
        var words = [
            "sealedpush send - --allow-clear --server localhost:\(port)", "--ca \(Self.quoted(folder + "/ca.pem"))",
            "--provider-key \(Self.quoted(folder + "/provider.p8"))",
            "--key-id \(SimulatorFolder.keyID) --team-id \(SimulatorFolder.teamID)",
            "--topic \(Self.quoted(topic)) --to \(Self.quoted(draft.token))",
        ]
        if let priority = draft.value("apns-priority") { words.append("--priority \(Self.quoted(priority))") }
        if let collapseID = draft.value("apns-collapse-id") { words.append("--collapse-id \(Self.quoted(collapseID))") }
        if draft.value("apns-expiration") == "0" { words.append("--expires 0") }
        return "printf %s \(Self.quoted(payload)) | " + words.joined(separator: " \\\n    ")
    }

    /// For a suite with `let device = Device { NotificationService() }` (docs/testing-your-extension.md).
    ///
    /// - Parameter shown: title and body that the phone showed; nil: not this payload.
    func swift(_ conditions: PlaygroundConditions, shown: (title: String, body: String)?) -> String {
        let payload = payload.split(separator: "\n", omittingEmptySubsequences: false)
        let marks = String(repeating: "#", count: Self.markCount(self.payload))
        let lines =
            conditions.swiftLines
            + ["let shown = try await device.deliver(", "    \(marks)\"\"\""]
            + payload.map { "    \($0)" } + ["    \"\"\"\(marks)", ")"]
            + (shown.map {
                [
                    "#expect(shown.title == \(Self.literal($0.title)))",
                    "#expect(shown.body == \(Self.literal($0.body)))",
                ]
            } ?? ["#expect(shown.why == .answered, \"\\(shown)\")"])
        return "@Test func `a push of the playground is shown`() async throws {\n"
            + lines.map { "    \($0)\n" }.joined() + "}\n"
    }

    private var payload: String { String(decoding: draft.payload, as: UTF8.self) }

    /// One more than the longest row behind a quotation mark or a backslash.
    private static func markCount(_ text: String) -> Int {
        var (longest, current, isRow) = (0, 0, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): (current, isRow) = (0, true)
            case UInt8(ascii: "#") where isRow: current += 1
            default: isRow = false
            }
            longest = max(longest, isRow ? current : 0)
        }
        return longest + 1
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
