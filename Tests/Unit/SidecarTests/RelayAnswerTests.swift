import Envelope
import Testing

@testable import Sidecar

struct RelayAnswerTests {
    private func result(_ status: Int, _ body: String, retryAfter: Int? = nil) -> PostResult {
        let answer = RelayAnswer(status: status, retryAfterSeconds: retryAfter, body: Array(body.utf8))
        return PostResult(answer, devices: ["d1", "d2", "d3"])
    }

    @Test func `an accepted request has the relay's ids, by device`() {
        let body =
            #"{"notifications":[{"device":"d3","id":"c","trace":"t"},{"device":"d1","id":"a"},{"device":"x","id":"b"}]}"#
        #expect(result(202, body) == .accepted(ids: [0: "a", 2: "c"]))
        #expect(result(202, "no JSON") == .accepted(ids: [:]))
    }

    @Test func `recipients that a 202 leaves out are rejected, and those beyond the day's quota wait`() {
        let body = """
            {"notifications":[{"device":"d1","id":"a"}],"rejected":[
            {"index":1,"device":"d2","problem":{"type":"urn:sealedpush:problem:invalid-fields","detail":"d",
            "errors":[{"pointer":"/recipients/1/device","detail":"no such device"}]}},
            {"index":2,"device":"d3","problem":{"type":"urn:sealedpush:problem:quota-exceeded","detail":"q"}},
            {"index":7,"problem":{}},{"index":-1},{"index":"0"},5]}
            """
        let rejected = [1: Rejection("device-refused", "no such device")]
        #expect(result(202, body) == .accepted(ids: [0: "a"], rejected: rejected, postponed: [2]))
    }

    @Test func `recipients that a refusal names are rejected, and others are posted again`() {
        let body = """
            {"errors":[{"pointer":"/recipients/1/device","detail":"no such device"},{"pointer":"/recipients/9/device"},
            {"pointer":"/topic","detail":"x"}]}
            """
        #expect(result(422, body) == .rejected([1: Rejection("device-refused", "no such device")]))
    }

    @Test func `a refusal that names no recipient is one of the whole`() {
        #expect(result(422, #"{"detail":"d"}"#) == .refused(Rejection("refused-by-relay", "d")))
        #expect(result(409, "") == .refused(Rejection("refused-by-relay", "status 409")))
        #expect(result(413, "") == .refused(Rejection("refused-by-relay", "status 413")))
    }

    @Test(arguments: [401, 403, 404, 429, 502, 503, 504, 302])
    func `everything else is asked again, a wrong key too`(_ status: Int) {
        #expect(result(status, "", retryAfter: 7) == .later(seconds: 7))
    }

    @Test func `a failure of the relay may be this request's alone`() {
        #expect(result(500, "") == .failed(seconds: nil))
    }

    @Test func `the same copies have the same body and key, others have not`() {
        func body(_ places: [Int64]) -> PostBody {
            PostBody(
                messageID: [UInt8](repeating: 1, count: 16),
                topic: "com.example.chat",
                messageClass: "normal",
                expirySeconds: nil,
                collapseID: nil,
                copies: places.map {
                    PostBody.Copy(place: $0, device: Array("d\($0)".utf8), sealed: [1, 2], trace: [3])
                }
            )
        }
        #expect(
            body([1, 2]).idempotencyKey == body([1, 2]).idempotencyKey && body([1, 2]).json == body([1, 2]).json
        )
        #expect(body([1, 2]).idempotencyKey != body([1]).idempotencyKey)
        let json =
            #"{"topic":"com.example.chat","class":"normal","partial":true,"recipients":[{"device":"d1","sealed":"AQI","trace":"Aw"}]}"#
        #expect(String(decoding: body([1]).json, as: UTF8.self) == json)
    }
}
