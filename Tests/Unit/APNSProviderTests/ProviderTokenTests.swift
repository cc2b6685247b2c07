import APNS
import Envelope
import Primitives
import TestSupport
import Testing

@testable import APNSProvider

struct ProviderTokenTests {
    private static func parts(of token: ProviderToken) throws -> [ArraySlice<UInt8>] {
        let prefix = Array("bearer ".utf8)
        try #require(token.authorization.starts(with: prefix))
        return token.authorization.dropFirst(prefix.count).split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
    }

    @Test func `header and claims are Apple's, and the public key verifies the signature`() throws {
        let key = try ThrowawayKeys.first()
        let token = try ProviderToken(
            signedWith: key,
            keyID: KeyID("ABC123DEFG"),
            teamID: TeamID("DEF123GHIJ"),
            issuedAt: 1_437_179_036
        )
        let parts = try Self.parts(of: token)
        try #require(parts.count == 3)
        #expect(Base64URL.decode(parts[0]) == Array(#"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8))
        #expect(Base64URL.decode(parts[1]) == Array(#"{"iss":"DEF123GHIJ","iat":1437179036}"#.utf8))
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(signature.count == 64)
        let signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        #expect(try key.publicKey().isValid(rawSignature: signature, over: signed))
        #expect(try !ThrowawayKeys.second().publicKey().isValid(rawSignature: signature, over: signed))
    }

    @Test func `no way of printing shows a token`() throws {
        let token = try ProviderToken(
            signedWith: ThrowawayKeys.first(),
            keyID: KeyID("ABC123DEFG"),
            teamID: TeamID("DEF123GHIJ"),
            issuedAt: 7
        )
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains("bearer") && !text.contains("eyJ") && !text.contains("98, 101"))
        }
    }

    @Test(arguments: ["", "ABC123DEF", "ABC123DEFGH", "ABC123DEF\"", "ABC 23DEFG", "ÄBC123DEF", "ABC123DÉF"])
    func `a key or team id is ten ASCII letters and digits`(_ text: String) {
        #expect(throws: APNSError.keyIDMalformed) { try KeyID(text) }
        #expect(throws: APNSError.teamIDMalformed) { try TeamID(text) }
    }
}

struct ProviderTokenSourceTests {
    /// 2035, so that today's date does not matter.
    private static let start = Moment(unixSeconds: 2_051_222_400, uptimeSeconds: 100)

    private static func source() throws -> ProviderTokenSource {
        ProviderTokenSource(
            key: try ThrowawayKeys.first(),
            keyID: try KeyID("ABC123DEFG"),
            teamID: try TeamID("DEF123GHIJ")
        )
    }

    private static func later(_ seconds: Int64, wallStep: Int64 = 0) -> Moment {
        Moment(unixSeconds: start.unixSeconds + seconds + wallStep, uptimeSeconds: start.uptimeSeconds + seconds)
    }

    @Test(arguments: [0, 1, 21 * 60, 50 * 60 - 1])
    func `a token is used again until it is fifty minutes old`(_ age: Int64) throws {
        let source = try Self.source()
        #expect(try source.token(at: Self.start) == source.token(at: Self.later(age)))
    }

    @Test func `at fifty minutes there is a new one, issued then`() throws {
        let source = try Self.source()
        let first = try source.token(at: Self.start)
        let second = try source.token(at: Self.later(3000))
        #expect(first.issuedAt == Self.start.unixSeconds)
        #expect(second.issuedAt == Self.start.unixSeconds + 3000)
        #expect(try source.token(at: Self.later(3001)) == second)
    }

    @Test(arguments: [-86_400, -600, 600, 86_400])
    func `a corrected clock renews, but not before twenty minutes`(_ step: Int64) throws {
        let source = try Self.source()
        let first = try source.token(at: Self.start)
        #expect(try source.token(at: Self.later(1199, wallStep: step)) == first)
        #expect(
            try source.token(at: Self.later(1260, wallStep: step)).issuedAt
                == Self.later(1260, wallStep: step).unixSeconds
        )
    }

    @Test func `a refusal as expired renews, but not before twenty minutes`() throws {
        let source = try Self.source()
        let first = try source.token(at: Self.start)
        source.tokenWasRefused(first, for: .expiredProviderToken)
        #expect(try source.token(at: Self.later(1199)) == first)
        #expect(try source.token(at: Self.later(1260)) != first)
    }

    @Test func `a late refusal of an old token does not touch the new one`() throws {
        let source = try Self.source()
        let first = try source.token(at: Self.start)
        let second = try source.token(at: Self.later(3000))
        source.tokenWasRefused(first, for: .expiredProviderToken)
        #expect(try source.token(at: Self.later(3000 + 1260)) == second)
    }

    @Test(arguments: [Reason.tooManyProviderTokenUpdates, .invalidProviderToken, .badDeviceToken])
    func `no other refusal makes a new token`(_ reason: Reason) throws {
        let source = try Self.source()
        let first = try source.token(at: Self.start)
        source.tokenWasRefused(first, for: reason)
        #expect(try source.token(at: Self.later(1500)) == first)
    }
}
