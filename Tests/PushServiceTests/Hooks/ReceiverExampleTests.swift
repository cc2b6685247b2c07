import Foundation
import Primitives
import TestSupport
import Testing

@testable import PushService

/// The receiver's check of docs/service.md, run as it stands there.
struct ReceiverExampleTests {
    private static let body = #"{"event":"dead"}"#
    private static let secret = "a secret of a test, of thirty-two bytes and some"

    private static func hasPython() throws -> Bool {
        try LineProcess("/usr/bin/env", ["python3", "-c", "pass"]).wait() == 0
    }

    private static func example() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/service.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```python\n"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func field(_ secret: String = secret, at milliseconds: UInt64) -> String {
        let bytes = Array(secret.utf8)
        return WebhookSignature.field(
            body: Array(body.utf8),
            unixSeconds: Int64(milliseconds / 1_000),
            secret: SecretBytes(copying: unsafe bytes.span.bytes)
        )
    }

    @Test(.enabled("python3 is not there: the example was not run") { try hasPython() })
    func `it takes what we sign, and nothing else`() throws {
        let folder = try TemporaryFolder()
        let now = SystemClock.millisecondsSince1970
        let good = Self.field(at: now)
        let both = Self.field("the secret of before, of thirty-two bytes", at: now) + ",v1=" + good.suffix(64)
        let cases: [(field: String, body: String, isGood: Bool)] = [
            (good, Self.body, true), (both, Self.body, true), (good, Self.body + " ", false),
            (Self.field("another secret, of thirty-two bytes and some", at: now), Self.body, false),
            (Self.field(at: now - 3_600_000), Self.body, false), (Self.field(at: now + 3_600_000), Self.body, false),
            ("", Self.body, false), ("t=1,t=1,v1=", Self.body, false), ("v1=" + good.suffix(64), Self.body, false),
            ("t=\u{0661},v1=\u{0661}", Self.body, false),
        ]
        let script =
            try Self.example() + """

                import sys
                for i in range(2, len(sys.argv), 2):
                    print(is_from_sealedpush(sys.argv[i], sys.argv[i + 1].encode(), sys.argv[1].encode()))

                """
        let path = try folder.makeFile("receiver.py", script)
        let arguments = ["python3", path, Self.secret] + cases.flatMap { [$0.field, $0.body] }
        let process = try LineProcess("/usr/bin/env", arguments)
        let answers = process.rest().split(separator: "\n").map { $0 == "True" }
        #expect(process.wait() == 0 && answers == cases.map(\.isGood))
    }
}
