import Envelope
import HTTP
import Keys
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Requests as other programs write them, from their public sources: names and forms of the fields, with real tokens.
/// The records are really sealed and as long as theirs; Tests/Conformance/Service/gateway has a phone open such ones.
struct ServersRequestTests {
    private struct Program: CustomTestStringConvertible, Sendable {
        let name: String
        /// Repository and file.
        let source: String
        let fields: [(String, String)]
        let lane: Lane
        var tokenLifetime: Int64 = 43_200
        /// Of the text; a record has 103 more.
        var byteCount = 300
        var ttl = "604800"
        /// Authorization from token and key.
        var authorization: @Sendable (String, String) -> String = { "vapid t=\($0),k=\($1)" }

        var testDescription: String { "\(name), \(source)" }
    }

    private static let octets = ("Content-Type", "application/octet-stream")

    private static let programs = [
        Program(
            name: "Mastodon with subscription[standard]",
            source: "mastodon/mastodon: app/workers/web/push_notification_worker.rb, app/lib/web_push_request.rb",
            fields: [octets, ("Ttl", "172800"), ("Urgency", "normal"), ("Content-Encoding", "aes128gcm")],
            lane: .normal,
            // Exactly a day.
            tokenLifetime: 86_400,
            ttl: "86400"
        ),
        Program(
            name: "GoToSocial",
            source: "superseriousbusiness/gotosocial: internal/webpush/realsender.go with SherClockHolmes/webpush-go",
            fields: [("Content-Encoding", "aes128gcm"), octets, ("TTL", "172800")],
            lane: .normal,
            // The library fills each record up.
            byteCount: 3_993,
            ttl: "86400",
            authorization: { "vapid t=\($0), k=\($1)" }
        ),
        Program(
            name: "Nextcloud",
            source: "nextcloud/notifications: lib/WebPushClient.php with web-push-libs/web-push-php: src/WebPush.php",
            fields: [octets, ("Content-Encoding", "aes128gcm"), ("TTL", "2419200"), ("Urgency", "high")],
            lane: .urgent,
            // Its padding to 2,820 bytes of text.
            byteCount: 2_821,
            authorization: { "vapid t=\($0), k=\($1)" }
        ),
        Program(
            name: "Matrix, MSC4174",
            source: "matrix-org/matrix-spec-proposals: proposals/4174-webpush-pushkind.md; Synapse's WebPushPusher",
            fields: [
                ("User-Agent", "sygnal"), ("Content-Encoding", "aes128gcm"), ("TTL", "43200"), ("Urgency", "low"),
                ("Topic", "Pk7kxQwTTYVbZ0CAk28dnp3j"),
            ],
            lane: .background,
            ttl: "3600"
        ),
        Program(
            name: "web-push for node",
            source: "web-push-libs/web-push: src/web-push-lib.js",
            fields: [("TTL", "2419200"), octets, ("Content-Encoding", "aes128gcm")],
            lane: .normal,
            authorization: { "vapid t=\($0), k=\($1)" }
        ),
    ]

    @Test(arguments: programs)
    private func `a program's request is stored once, in its lane`(_ program: Program) async throws {
        try await ServerStage.with { stage in
            let signer = try VAPIDSigner.first()
            let path = try await EndpointRouteTests.endpoint(on: stage, for: signer.keyText)
            let expiry = Int64(stage.now.milliseconds / 1_000) + program.tokenLifetime
            let claims = #"{"aud":"https://push.example.com","exp":\#(expiry),"sub":"mailto:a@example.com"}"#
            let record = try EndpointRouteTests.record(program.byteCount)
            let words = program.authorization(try signer.token(claims), signer.keyText)
            let reply = await EndpointRouteTests.send(
                stage,
                path,
                record,
                // The server of HTTP has them in lower case.
                (program.fields + [("Authorization", words)]).map { ($0.0.lowercased(), $0.1) }
            )
            #expect(reply.status == 201 && reply.fields["ttl"] == program.ttl, "\(reply.text)")
            let answered = Attempt(time: stage.now, connection: .answered, status: 200)
            let taken = try await stage.finish(program.lane, answered, .accepted)
            let payload = String(decoding: try #require(taken.first?.payload), as: UTF8.self)
            let isWhole = payload.contains(#""webpush":"\#(Base64URL.string(record))""#)
            // GoToSocial's alone is too long for a push.
            #expect(taken.count == 1 && isWhole == (record.count < 2_925), "\(payload)")
            #expect(try await stage.queuedCount() == 0)
        }
    }

    /// Mastodon without `standard`, and its forks: the drafts' fields.
    ///
    /// - Source: mastodon/mastodon: app/workers/web/push_notification_worker.rb.
    @Test func `the draft's fields become the head of a record, and its token is checked where the draft is allowed`()
        throws
    {
        let (signer, salt) = (try VAPIDSigner.first(), Base64URL.string(Array(0..<16)))
        let dh = try VAPIDSigner.second().keyText
        let seconds: Int64 = 1_793_491_200
        let claims = #"{"aud":"https://push.example.com","exp":\#(seconds + 86_400),"sub":"mailto:a@example.com"}"#
        let fields: [(String, String)] = [
            ("content-type", "application/octet-stream"), ("ttl", "172800"), ("urgency", "normal"),
            ("content-encoding", "aesgcm"), ("encryption", "salt=\(salt)"),
            ("crypto-key", "dh=\(dh);p256ecdsa=\(signer.keyText)"),
            ("authorization", "WebPush \(try signer.token(claims))"),
        ]
        let request = APIRequest(method: "POST", path: "/wp/a", fields: fields.map { .init($0.0, $0.1) })
        let push = try WebPushRequest(request)
        let point = try #require(Base64URL.decode(Array(dh.utf8)))
        #expect(push.isDraft && push.record([7]) == Array(0..<16) + [0, 0, 0x10, 0, 65] + point + [7])
        var verifier = VAPIDVerifier()
        func check(allowsDraft: Bool) throws -> VAPIDKey? {
            try verifier.check(
                request,
                boundTo: nil,
                origin: "https://push.example.com",
                allowsDraft: allowsDraft,
                now: Timestamp(milliseconds: UInt64(seconds) * 1_000)
            )
        }
        #expect(try check(allowsDraft: true) == VAPIDKey(text: Array(signer.keyText.utf8)))
        #expect(try check(allowsDraft: false) == nil)
        for (name, value) in [
            ("encryption", "salt=AA"), ("encryption", "salt=\(salt);rs=a"), ("encryption", "rs=4096"),
            ("crypto-key", "p256ecdsa=\(signer.keyText)"), ("crypto-key", "dh=\(dh.dropLast())"),
            ("crypto-key", "dh=\(dh);dh=\(dh)"), ("encryption", ""),
        ] {
            let changed = fields.map { APIRequest.Field($0.0, $0.0 == name ? value : $0.1) }
            #expect(throws: Problem.self, "\(name): \(value)") {
                try WebPushRequest(APIRequest(method: "POST", path: "/wp/a", fields: changed))
            }
        }
    }
}
