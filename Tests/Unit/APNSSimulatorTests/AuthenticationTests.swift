import APNS
import Testing

@testable import APNSSimulator

struct AuthenticationTests {
    private func reason(_ authorization: String, profile: Profile = .spec) throws -> Reason? {
        var world = try World(profile: profile)
        var request = try Request()
        request["authorization"] = authorization
        return world.reason(request)
    }

    private static let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
    private static let claims = #"{"iss":"DEF123GHIJ","iat":2051222340}"#

    @Test(arguments: ["bearer ", "Bearer ", "BEARER "])
    func `the scheme word is read in any case`(_ scheme: String) throws {
        #expect(try reason(Authorization(scheme: scheme).value) == nil)
    }

    @Test func `a token lives one hour, to the second, and may be a minute early`() throws {
        #expect(try reason(Authorization(issuedAt: Request.now - 3600).value) == nil)
        #expect(try reason(Authorization(issuedAt: Request.now - 3601).value) == .expiredProviderToken)
        #expect(try reason(Authorization(issuedAt: Request.now + 60).value) == nil)
        #expect(try reason(Authorization(issuedAt: Request.now + 61).value) == .invalidProviderToken)
        #expect(try reason(Authorization(issuedAt: .min).value) == .invalidProviderToken)
        #expect(try reason(Authorization(issuedAt: .max).value) == .invalidProviderToken)
    }

    @Test func `a token that was good expires on the same connection`() throws {
        var world = try World()
        let request = try Request()
        #expect(world.reason(request) == nil)
        #expect(world.reason(request, now: Request.now + 3540) == nil)
        #expect(world.reason(request, now: Request.now + 3541) == .expiredProviderToken)
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"ABC123DEFG"}"#, #"{"alg":"HS256","kid":"ABC123DEFG"}"#, #"{"kid":"ABC123DEFG"}"#,
        #"{"alg":"es256","kid":"ABC123DEFG"}"#, #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"ABC"}"#,
        #"{"alg":"ES256","kid":"ABC123DEFG","alg":"ES256"}"#, #"["ES256"]"#, "", "{", #"{"alg":"ES256","kid":7}"#,
    ])
    func `a header with anything but ES256 and a key id is invalid`(_ header: String) throws {
        #expect(try reason(Authorization.signed(header: header, claims: Self.claims)) == .invalidProviderToken)
        #expect(
            try reason(Authorization.signed(header: header, claims: Self.claims), profile: .apple)
                == .invalidProviderToken
        )
    }

    @Test(arguments: [
        #"{"iat":2051222340}"#, #"{"iss":"DEF123GHIJ"}"#, #"{"iss":"DEF123GHIJ","iat":1e400}"#,
        #"{"iss":"DEF123GHIJ","iat":null}"#, #"{"iss":"DEF","iat":2051222340}"#, "{}", "null",
    ])
    func `claims without a team or a time are invalid`(_ claims: String) throws {
        #expect(try reason(Authorization.signed(header: Self.header, claims: claims)) == .invalidProviderToken)
        #expect(
            try reason(Authorization.signed(header: Self.header, claims: claims), profile: .apple)
                == .invalidProviderToken
        )
    }

    @Test func `alg none without a signature is invalid`() throws {
        let token =
            "bearer " + Base64Text.url(#"{"alg":"none","kid":"ABC123DEFG"}"#) + "." + Base64Text.url(Self.claims) + "."
        #expect(try reason(token) == .invalidProviderToken)
        #expect(try reason(token, profile: .apple) == .invalidProviderToken)
    }

    @Test func `further members, as other libraries write them, do no harm`() throws {
        let header = #"{"typ":"JWT","alg":"ES256","kid":"ABC123DEFG"}"#
        let claims = #"{"iss":"DEF123GHIJ","iat":2051222340,"x":[{"y":1}]}"#
        #expect(try reason(Authorization.signed(header: header, claims: claims)) == nil)
    }

    @Test func `a DER signature is Apple's custom and not the specification's`() throws {
        let token = try Authorization.signed(header: Self.header, claims: Self.claims, der: true)
        #expect(try reason(token) == .invalidProviderToken)
        #expect(try reason(token, profile: .apple) == nil)
    }

    @Test func `padded base64 in the standard alphabet is Apple's custom and not the specification's`() throws {
        let token = try Authorization.signed(header: Self.header, claims: Self.claims, spelling: Base64Text.standard)
        #expect(try reason(token) == .invalidProviderToken)
        #expect(try reason(token, profile: .apple) == nil)
    }

    @Test func `a time as a string is Apple's custom and not the specification's`() throws {
        let claims = #"{"iss":"DEF123GHIJ","iat":"2051222340"}"#
        let token = try Authorization.signed(header: Self.header, claims: claims)
        #expect(try reason(token) == .invalidProviderToken)
        #expect(try reason(token, profile: .apple) == nil)
    }

    @Test func `a time with a fraction is read as its whole seconds, but not by the specification`() throws {
        let claims = #"{"iss":"DEF123GHIJ","iat":2051222340.75}"#
        let token = try Authorization.signed(header: Self.header, claims: claims)
        #expect(try reason(token) == .invalidProviderToken)
        #expect(try reason(token, profile: .apple) == nil)
    }

    @Test(arguments: ["2051218799.9", "2051218800.9"])
    func `a fraction does not lengthen a token's hour`(_ issuedAt: String) throws {
        let claims = #"{"iss":"DEF123GHIJ","iat":\#(issuedAt)}"#
        let token = try Authorization.signed(header: Self.header, claims: claims)
        #expect(try reason(token, profile: .apple) == (issuedAt < "2051218800" ? .expiredProviderToken : nil))
    }

    @Test func `no single changed character of a token is accepted`() throws {
        let token = try Authorization().value
        var world = try World()
        for offset in 7..<token.utf8.count {
            var utf8 = Array(token.utf8)
            utf8[offset] = utf8[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            var request = try Request()
            request["authorization"] = String(decoding: utf8, as: UTF8.self)
            #expect(world.reason(request) == .invalidProviderToken, "character \(offset)")
        }
    }

    @Test(arguments: ["bearer a.b", "bearer a.b.c.d", "bearer ...", "bearer ..", "bearer \u{7F}.b.c", "bearera.b.c"])
    func `what has not three readable parts is invalid`(_ authorization: String) throws {
        #expect(try reason(authorization) == .invalidProviderToken)
    }

    @Test func `another team on the same connection is invalid, on a new one it is not`() throws {
        let first = try Request()
        var other = first
        other["authorization"] = try Authorization(
            keyID: "OTHERTEAM1",
            teamID: "OTHERTEAM0",
            signsWithSecondKey: true
        ).value
        var world = try World()
        #expect(world.reason(first) == nil)
        #expect(world.reason(other) == .invalidProviderToken)
        #expect(world.reason(first) == nil)
        var fresh = try World()
        #expect(fresh.reason(other) == nil)
    }

    @Test func `a second key of the team is welcome, one with its own topics is unrelated`() throws {
        var world = try World()
        #expect(world.reason(try Request()) == nil)
        var second = try Request()
        second["authorization"] = try Authorization(keyID: "SAMETEAM01", signsWithSecondKey: true).value
        #expect(world.reason(second) == nil)
        var topical = try Request()
        topical["authorization"] = try Authorization(keyID: "TOPICKEY01", signsWithSecondKey: true).value
        #expect(world.reason(topical) == .unrelatedKeyIDInToken)
    }

    @Test func `a new token within twenty minutes is one too many, the old one still works`() throws {
        var world = try World()
        let request = try Request()
        #expect(world.reason(request) == nil)
        var renewed = request
        renewed["authorization"] = try Authorization(issuedAt: Request.now + 1).value
        #expect(world.reason(renewed, now: Request.now + 1199) == .tooManyProviderTokenUpdates)
        #expect(world.reason(request, now: Request.now + 1199) == nil)
        #expect(world.reason(renewed, now: Request.now + 1200) == nil)
    }
}
