import APNS
import TestSupport
import Testing

@testable import APNSProvider

struct RejectionBodyTests {
    @Test(arguments: Reason.allCases)
    func `an error body is read as it was written`(_ reason: Reason) {
        let body = RejectionBody(reason, timestampMilliseconds: 1_700_000_000_123)
        #expect(RejectionBody(json: body.json) == body)
        #expect((body.timestampMilliseconds != nil) == (reason.status == 410))
    }

    @Test func `an unknown reason keeps its words, other members are ignored`() {
        let body = RejectionBody(json: Array(#" { "extra" : [1, {"a": null}], "reason" : "NewReason" } "#.utf8))
        #expect(body?.reason == nil)
        #expect(body?.reasonText == "NewReason")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"reason":1}"#, #"{"reason":""}"#, #"{"reason":"a\nb"}"#, #"{"reason":"x"} x"#,
        #"{"reason":"x""#, #"{"reason":"x","reason":"y"}"#, #"{"reason":"é"}"#, #"{"reason":"x",}"#,
        #"{"reason":""# + String(repeating: "x", count: 65) + #""}"#,
        #"{"reason":"x","y":""# + String(repeating: "x", count: 1024) + #""}"#,
    ])
    func `what is no error body is none`(_ text: String) {
        #expect(RejectionBody(json: Array(text.utf8)) == nil)
    }
}
