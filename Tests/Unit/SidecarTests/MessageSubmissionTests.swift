import Envelope
import Keys
import Testing

@testable import Sidecar

struct MessageSubmissionTests {
    private static let identity = "sealedpush-identity-1:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    private func read(_ text: String, _ limits: SidecarLimits = SidecarLimits()) throws -> MessageSubmission {
        try MessageSubmission(Array(text.utf8), limits)
    }

    private func problem(_ text: String, _ limits: SidecarLimits = SidecarLimits()) -> SidecarProblem? {
        do throws(SidecarProblem) {
            _ = try MessageSubmission(Array(text.utf8), limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func `words, a conversation, devices and users with their devices are read in order`() throws {
        let text = """
            {"message":{"title":"Ada","body":"See you"},"conversation":"c1","class":"urgent","expiry":3600,
             "recipients":[{"device":"d1","identity":"\(Self.identity)"},
                           {"user":"bob","devices":[{"device":"d2"},{"device":"d3"}]}]}
            """
        let read = try read(text)
        #expect(read.message.title == "Ada" && read.message.threadID == "c1")
        #expect(read.messageClass == .urgent && read.expirySeconds == 3_600 && read.tooLong == .refuse)
        #expect(read.recipients.map(\.device) == ["d1", "d2", "d3"])
        #expect(read.recipients.map(\.user) == [nil, "bob", "bob"])
        #expect(read.recipients[0].identity?.text == Self.identity && read.recipients[1].identity == nil)
    }

    @Test func `a call has its class of itself, and no other`() throws {
        let call = #"{"message":{"op":"call","call":"x"},"recipients":[{"device":"d1"}]"#
        #expect(try read(call + "}").messageClass == .call)
        #expect(problem(call + #","class":"normal"}"#)?.errors.map(\.pointer) == ["/class"])
        let text = #"{"message":{"body":"x"},"recipients":[{"device":"d1"}],"class":"call"}"#
        #expect(problem(text)?.errors.map(\.pointer) == ["/class"])
    }

    @Test(arguments: [
        (#"{"recipients":[{"device":"d1"}]}"#, "/message"),
        (#"{"message":{"body":"x"}}"#, "/recipients"),
        (#"{"message":{"body":"x","bodi":"y"},"recipients":[{"device":"d1"}]}"#, "/message"),
        (#"{"message":{"body":"x","receipt":"AAAAAAAAAAAAAAAAAAAAAA"},"recipients":[{"device":"d1"}]}"#, "/message"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d 1"}]}"#, "/recipients/0/device"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d1"},{"device":"d1"}]}"#, "/recipients"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d1","identity":"x"}]}"#, "/recipients/0/identity"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d1"}],"word":1}"#, "/word"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d1"}],"too-long":"cut"}"#, "/too-long"),
        (#"{"message":{"body":"x"},"recipients":[{"device":"d1"}],"attachments":[{"type":"a/b"}]}"#, "/attachments/0"),
    ])
    func `a fault names its field and repeats nothing`(_ text: String, _ pointer: String) {
        let problem = problem(text)
        #expect(problem?.kind == .invalidFields && problem?.errors.map(\.pointer) == [pointer], "\(text)")
    }

    @Test func `too many recipients and no JSON are refused`() {
        var limits = SidecarLimits()
        limits.recipientCountMax = 2
        let text =
            #"{"message":{"body":"x"},"recipients":[{"user":"a","devices":[{"device":"a"},{"device":"b"}]},{"device":"c"}]}"#
        #expect(problem(text, limits)?.errors.map(\.pointer) == ["/recipients"])
        #expect(problem("{")?.kind == .notJSON)
    }

    @Test func `attachments come by path or in the body`() throws {
        let text = """
            {"message":{"body":"x"},"recipients":[{"device":"d1"}],
             "attachments":[{"path":"/a/b.png","type":"image/png"},{"base64url":"AQI","type":"text/plain","name":"n"}]}
            """
        let attachments = try read(text).attachments
        guard case .path("/a/b.png") = attachments[0].source, case .bytes([1, 2]) = attachments[1].source else {
            Issue.record("\(attachments.count)")
            return
        }
        #expect(attachments[1].name == "n")
    }
}
