import Foundation
import Primitives
import TestSupport
import Testing

@testable import PushService

/// The receiver's check of docs/webhooks.md, run as it stands there.
struct ReceiverExampleTests {
    private static let body = #"{"event":"dead"}"#
    private static let secret = HookSite.secret

    private static func hasPython() throws -> Bool {
        try LineProcess("/usr/bin/env", ["python3", "-c", "pass"]).wait() == 0
    }

    private static func example() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/webhooks.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```python\n"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func signature(_ text: String = secret, at seconds: UInt64) -> String {
        let text = Array(text.utf8)
        guard let secret = unsafe WebhookSecret.decode(text.span.bytes) else { return "" }
        return WebhookSignature.value("id_1", unixSeconds: Int64(seconds), body: Array(body.utf8), secret: secret)
    }

    private struct Case {
        var id = "id_1"
        let time: String
        let signature: String
        var body = ReceiverExampleTests.body
        var isGood = false
    }

    @Test(.enabled("python3 is not there: the example was not run") { try hasPython() })
    func `it takes what we sign, and nothing else`() throws {
        let folder = try TemporaryFolder()
        let now = SystemClock.millisecondsSince1970 / 1_000
        let good = Self.signature(at: now)
        let old = Self.signature(HookSite.oldSecret, at: now)
        let (early, late) = (now - 3_600, now + 3_600)
        let cases = [
            Case(time: "\(now)", signature: good, isGood: true),
            Case(time: "\(now)", signature: "\(old) \(good)", isGood: true),
            Case(time: "\(now)", signature: old), Case(time: "\(now)", signature: good, body: Self.body + " "),
            Case(id: "id_2", time: "\(now)", signature: good), Case(time: "\(now + 1)", signature: good),
            Case(time: "\(early)", signature: Self.signature(at: early)),
            Case(time: "\(late)", signature: Self.signature(at: late)),
            Case(time: "\(now)", signature: ""), Case(time: "", signature: good),
            Case(time: "\u{0661}", signature: good),
            Case(time: "\(now)", signature: String(good.dropFirst(3))),
        ]
        let script =
            try Self.example() + """

                import sys
                for i in range(2, len(sys.argv), 4):
                    id, time_, signature, body = sys.argv[i : i + 4]
                    fields = {"webhook-id": id, "webhook-timestamp": time_, "webhook-signature": signature}
                    print(is_from_sealedpush(fields, body.encode(), sys.argv[1]))

                """
        let path = try folder.makeFile("receiver.py", script)
        let arguments =
            ["python3", path, Self.secret] + cases.flatMap { [$0.id, $0.time, $0.signature, $0.body] }
        let process = try LineProcess("/usr/bin/env", arguments)
        let answers = process.rest().split(separator: "\n").map { $0 == "True" }
        #expect(process.wait() == 0 && answers == cases.map(\.isGood))
    }
}
