import Testing

@testable import Envelope

struct JSONLimitsTests {
    @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")])
    func `accepts the deepest level and refuses the next`(_ open: String, _ close: String) {
        let levels = open.hasPrefix("[{") ? 2 : 1
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth / levels) + "1" + String(repeating: close, count: depth / levels)
        }
        #expect(refused(nested(strict.depthMax)) == nil)
        #expect(refused(nested(strict.depthMax + levels))?.reason == .tooDeep(depthMax: strict.depthMax))
    }

    @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#, " [ "], [9, 600, 100_000])
    func `refuses deep nesting at the ninth level, without touching the stack`(_ open: String, _ depth: Int) {
        let text = String(repeating: open, count: depth)
        #expect(refused(text)?.reason == .tooDeep(depthMax: 8))
        #expect(refused(text).map { $0.offset <= open.utf8.count * 8 + 1 } == true)
    }

    @Test func `breadth is not depth`() {
        #expect(refused("[" + String(repeating: "[],{},", count: 1_000) + "[[]]]") == nil)
    }

    @Test func `depth one is a flat object`() {
        let flat = JSONParser.Limits(byteCountMax: 100, depthMax: 1, allowsFractions: false)
        #expect(refused(#"{"a":1}"#, limits: flat) == nil)
        #expect(refused(#"{"a":[]}"#, limits: flat) == JSONError(reason: .tooDeep(depthMax: 1), offset: 5))
    }

    @Test func `one byte beyond the limit is refused before anything is read`() {
        let limits = JSONParser.Limits(byteCountMax: 8, depthMax: 8, allowsFractions: false)
        #expect(refused(#""123456""#, limits: limits) == nil)
        #expect(refused(#""1234567""#, limits: limits) == JSONError(reason: .tooLong(byteCountMax: 8), offset: 8))
        #expect(
            refused("\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0} ", limits: limits)?.reason == .tooLong(byteCountMax: 8)
        )
    }

    @Test func `a megabyte of members is read, and its last name is still found twice`() {
        var text = "{"
        for number in 0..<40_000 { text += "\"name\(number)\":\(number)," }
        #expect(refused(text + #""last":0}"#) == nil)
        #expect(refused(text + #""name39999":0}"#)?.reason == .duplicateName)
    }
}
