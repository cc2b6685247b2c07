import Envelope
import Testing

@testable import PushService

/// Servers' tokens.
struct VAPIDTests {
    private static let origin = "https://push.example.com"
    private static let now = Timestamp(milliseconds: 1_793_491_200_000)
    private static let seconds: Int64 = 1_793_491_200

    private func check(
        _ fields: [String],
        boundTo key: [UInt8]? = nil,
        origin: String = origin,
        now: Timestamp = now
    ) throws(VAPIDError) -> VAPIDKey? {
        var verifier = VAPIDVerifier()
        let request = APIRequest(method: "POST", path: "/wp/a", fields: fields.map { .init("authorization", $0) })
        return try verifier.check(request, boundTo: key, origin: origin, now: now)
    }

    /// Of section 2.4, which has line breaks.
    private static let example = """
        vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3\
        NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtm\
        ysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmC\
        lBPs
        """
    private static let exampleOrigin = "https://push.example.net"

    @Test func `the example of RFC 8292 is accepted on its day, and no single changed character of its token is`()
        throws
    {
        let now = Timestamp(milliseconds: 1_453_523_768_000 - 3_600_000)
        let key = try #require(try check([Self.example], origin: Self.exampleOrigin, now: now))
        _ = try check([Self.example], boundTo: key.hash, origin: Self.exampleOrigin, now: now)
        let words = Array(Self.example.utf8)
        let start = "vapid t=".utf8.count
        let end = try #require(words.firstIndex(of: UInt8(ascii: ",")))
        for index in start..<end where words[index] != UInt8(ascii: ".") {
            var changed = words
            changed[index] = words[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: VAPIDError.self, "character \(index)") {
                _ = try check([String(decoding: changed, as: UTF8.self)], origin: Self.exampleOrigin, now: now)
            }
        }
    }

    @Test func `a token holds for a day at most, with a minute for clocks that differ`() throws {
        let signer = try VAPIDSigner.first()
        for (expiry, error) in [
            (-60, .expired), (-59, nil), (1, nil), (86_400 + 60, nil), (86_400 + 61, .tooFarAhead),
            (.max, .tooFarAhead), (.min, .expired),
        ] as [(Int64, VAPIDError?)] {
            let sum = Self.seconds.addingReportingOverflow(expiry)
            let words = try signer.authorization(expiry: sum.overflow ? expiry : sum.partialValue)
            #expect(self.error([words]) == error, "\(expiry)")
        }
    }

    /// Nil if accepted.
    private func error(_ fields: [String], boundTo key: [UInt8]? = nil) -> VAPIDError? {
        do throws(VAPIDError) { _ = try check(fields, boundTo: key) } catch { return error }
        return nil
    }

    @Test func `each form that servers write is read: other order, quotes, no space, a list of audiences, a fraction`()
        throws
    {
        let signer = try VAPIDSigner.first()
        let token = try signer.token(#"{"aud":"https://push.example.com","exp":\#(Self.seconds + 60)}"#)
        let listed = #"{"exp":\#(Self.seconds + 60).5,"aud":["https://a.example","HTTPS://push.example.com"]}"#
        for words in [
            "vapid t=\(token),k=\(signer.keyText)", "Vapid k=\(signer.keyText) , T=\"\(token)\"",
            "VAPID\tt=\(token), k=\(signer.keyText), x=y,",
            "vapid t=\(try signer.token(listed)), k=\(signer.keyText)",
        ] {
            #expect(try check(["Basic abc", words]) == VAPIDKey(text: Array(signer.keyText.utf8)), "\(words)")
        }
    }

    @Test func `what is no token of ES256 under its key is refused, whatever the endpoint`() throws {
        let (signer, other) = (try VAPIDSigner.first(), try VAPIDSigner.second())
        let claims = #"{"aud":"https://push.example.com","exp":\#(Self.seconds + 60)}"#
        let (token, key) = (try signer.token(claims), signer.keyText)
        let parts = token.split(separator: ".")
        for (words, error) in [
            ("vapid", .malformed), ("vapid t=\(token)", .malformed), ("vapid k=\(key)", .malformed),
            ("vapid t=\(token), k=\(key), k=\(key)", .malformed), ("vapid t=\(token), k=\(key.dropLast())", .malformed),
            ("vapid t=\(token), k=\(key)=", .malformed), ("vapid t=\(token).a, k=\(key)", .malformed),
            ("vapid t=\(token)=, k=\(key)", .malformed),
            ("vapid t=\(parts[0]).\(parts[1])., k=\(key)", .signature),
            ("vapid t=\(token), k=\(other.keyText)", .signature),
            // In the form of a point, and on no curve.
            ("vapid t=\(token), k=B\(String(repeating: "A", count: 86))", .signature),
            ("vapid t=\(try signer.token(claims, header: #"{"alg":"none"}"#)), k=\(key)", .malformed),
            ("vapid t=\(try signer.token(claims, header: #"{"alg":"ES256","crit":["b64"]}"#)), k=\(key)", .malformed),
            ("vapid t=\(try signer.token("[]")), k=\(key)", .malformed),
            ("vapid t=\(try signer.token(#"{"aud":"https://push.example.com"}"#)), k=\(key)", .malformed),
            ("vapid t=\(try signer.token(#"{"exp":\#(Self.seconds + 60)}"#)), k=\(key)", .malformed),
            ("vapid t=\(try signer.token(#"{"aud":[],"exp":\#(Self.seconds + 60)}"#)), k=\(key)", .audience),
            (try signer.authorization("https://push.example.com/", expiry: Self.seconds + 60), .audience),
            (try signer.authorization("http://push.example.com", expiry: Self.seconds + 60), .audience),
            ("vapid t=\(token), k=\(key), x=\(String(repeating: "x", count: 2_000))", .malformed),
            ("vapid t=\(token), k=\(key)" + String(repeating: ",a=b", count: 15), .malformed),
        ] as [(String, VAPIDError)] {
            #expect(self.error([words]) == error, "\(words)")
        }
        let words = "vapid t=\(token), k=\(key)"
        #expect(error([words, words]) == .malformed)
    }

    @Test func `without a token only an endpoint without a key takes a push, and with one only its own key's`() throws {
        let (signer, other) = (try VAPIDSigner.first(), try VAPIDSigner.second())
        let words = try signer.authorization(expiry: Self.seconds + 60)
        let key = try #require(try check([words]))
        let foreign = try #require(VAPIDKey(text: Array(other.keyText.utf8)))
        #expect(try check([]) == nil && check(["Bearer a"]) == nil)
        #expect(try check([words], boundTo: key.hash) == key)
        let refused: [([String], VAPIDError)] = [([], .missing), (["Bearer a"], .missing), ([words], .otherKey)]
        for (fields, error) in refused {
            #expect(self.error(fields, boundTo: foreign.hash) == error)
        }
    }
}
