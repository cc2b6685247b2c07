import Testing

@testable import Envelope

struct TraceTests {
    @Test func `sixteen bytes are 22 characters`() {
        #expect(Trace(bytes: Array(0..<16)).text == "AAECAwQFBgcICQoLDA0ODw")
        #expect(Trace.characterCount == 22)
        #expect(Trace(bytes: [UInt8](repeating: 0xFF, count: 16)).text == "_____________________w")
    }

    @Test func `the text of a trace is that trace`() {
        let trace = Trace(bytes: Array(100..<116))
        #expect(Trace(text: trace.text) == trace)
        #expect(trace.rawRepresentation == Array(100..<116))
    }

    @Test(arguments: [
        "", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODwA", "AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0OD=",
        "AAECAwQFBgcICQoLDA0ODx", "AAECAwQFBgcICQoLDA0OD ", "+AECAwQFBgcICQoLDA0ODw", "/AECAwQFBgcICQoLDA0ODw",
        "AAECAwQFBgcICQoLDA0Oé", "AAECAwQFBgcICQoLDA0O\r\n", "\u{0}AECAwQFBgcICQoLDA0ODw",
    ])
    func `refuses a text that is not the one spelling of 16 bytes`(_ text: String) {
        #expect(Trace(text: text) == nil)
    }
}
