import TestSupport
import Testing

@testable import Envelope

struct PayloadReportTests {
    private func report(_ text: String) throws -> PayloadReport { try PayloadReport(payload: Array(text.utf8)) }

    @Test func `tells of our own alert payload what is in it and nothing else`() throws {
        let placeholder = try Placeholder(localizationKey: "SP_NEW")
        let report = try PayloadReport(
            payload: Payload.alert(placeholder: placeholder, envelope: .example(), trace: .example)
        )
        #expect(report.byteCount == 3_943)
        #expect(report.otherNames.isEmpty)
        #expect(report.aps == #"{"alert":{"loc-key":"SP_NEW"},"mutable-content":1}"#)
        #expect(report.isMutable)
        #expect(report.trace == Trace.example.text)
        #expect(report.sealed == .envelope(.example()))
    }

    @Test func `tells of our own voip payload that it shows nothing`() throws {
        let report = try PayloadReport(payload: Payload.voip(envelope: .example(.voip), trace: .example))
        #expect(report.byteCount == 4_919)
        #expect(report.aps == "{}" && !report.isMutable)
        #expect(report.sealed == .envelope(.example(.voip)))
    }

    @Test func `a payload of someone else has no sealed field`() throws {
        let report = try report(#"{"aps":{"alert":"hi"}}"#)
        #expect(report.sealed == .absent && report.trace == nil && !report.isMutable)
        #expect(try self.report("{}").aps == nil)
    }

    @Test(arguments: ["null", "true", "1", "1.5", "[]", "{}", #"["AQEB"]"#])
    func `a sealed field may be no string`(_ value: String) throws {
        #expect(try report(#"{"aps":{},"sealed":\#(value)}"#).sealed == .notAString)
    }

    @Test func `a sealed field that is no envelope says why`() throws {
        func sealed(_ text: String) throws -> PayloadReport.Sealed { try report(#"{"sealed":"\#(text)"}"#).sealed }
        let field = String(decoding: Envelope.example().sealedField, as: UTF8.self)
        #expect(try sealed("") == .unreadable(.wrongLength(count: 0)))
        #expect(try sealed(String(field.dropLast())) == .unreadable(.wrongLength(count: 3_839)))
        #expect(try sealed(field + "A") == .unreadable(.wrongLength(count: 3_841)))
        #expect(try sealed(field.dropLast() + "+") == .unreadable(.notBase64URL))
        #expect(try sealed(field.dropLast() + "=") == .unreadable(.notBase64URL))
        #expect(try sealed("AgEB" + field.dropFirst(4)) == .unreadable(.unsupportedVersion(2)))
        #expect(try sealed("AQIB" + field.dropFirst(4)) == .unreadable(.unsupportedSuite(2)))
    }

    @Test func `a sealed field spelled with escapes is the same field`() throws {
        let field = String(decoding: Envelope.example().sealedField, as: UTF8.self)
        #expect(try report(#"{"s\u0065aled":"\u0041\#(field.dropFirst())"}"#).sealed == .envelope(.example()))
    }

    @Test func `a Web Push field is any string, and is named among what should not be there (protocol v1, rule 38)`()
        throws
    {
        #expect(try report(#"{"aps":{}}"#).webPush == .absent)
        #expect(try report(#"{"aps":{},"webpush":""}"#).webPush == .field(""))
        #expect(try report(#"{"aps":{},"webpush":"AQ"}"#).webPush == .field("AQ"))
        for value in ["null", "7", "{}", #"["AQ"]"#] {
            #expect(try report(#"{"aps":{},"webpush":\#(value)}"#).webPush == .notAString)
        }
        #expect(try report(#"{"aps":{},"webpush":"AQ"}"#).otherNames == ["webpush"])
    }

    @Test func `names every clear member that should not be there, in its order`() throws {
        let text = #"{"zeta":1,"aps":{"alert":"x"},"sender":"anna","trace":"t","Sealed":"","":null}"#
        #expect(try report(text).otherNames == ["zeta", "sender", "Sealed", ""])
    }

    @Test(arguments: ["0", "2", "true", "\"1\"", "null", "1.0", "1e0", "[1]", "-1"])
    func `only the integer 1 makes a push mutable`(_ value: String) throws {
        #expect(try !report(#"{"aps":{"alert":"x","mutable-content":\#(value)}}"#).isMutable)
        #expect(try report(#"{"aps":{"alert":"x","mutable-content":1}}"#).isMutable)
        #expect(try !report(#"{"aps":{"alert":"x"},"mutable-content":1}"#).isMutable)
    }

    @Test(arguments: ["null", "7", "[]", "\"x\"", "{}"])
    func `aps may be anything, and is shown`(_ value: String) throws {
        let report = try report(#"{"aps":\#(value)}"#)
        #expect(report.aps == value && !report.isMutable)
    }

    @Test func `aps is shown without white space, with its numbers as they were spelled`() throws {
        let text = #"{"aps" : { "a" : [ 1.50, 1e400, -0, -7, null, true, false, "\"\u000a\u00e9" ], "b" : { } } }"#
        #expect(try report(text).aps == #"{"a":[1.50,1e400,-0,-7,null,true,false,"\"\né"],"b":{}}"#)
    }

    @Test(arguments: ["null", "1", "[]", "{}"])
    func `a trace that is no text is none`(_ value: String) throws {
        #expect(try report(#"{"trace":\#(value)}"#).trace == nil)
    }

    @Test(arguments: [
        (#"{"sealed":"a","sealed":"b"}"#, JSONError.Reason.duplicateName, 14),
        (#"{"sealed":"a","s\u0065aled":"b"}"#, .duplicateName, 14),
        (#"{"aps":{"alert":"x","alert":"y"}}"#, .duplicateName, 20),
        ("", .unexpectedEnd, 0), (#"{"aps":{}"#, .unexpectedEnd, 9), (#"{"aps":{}}x"#, .trailingBytes, 10),
        (" []", .expectedObject, 1), ("\"sealed\"", .expectedObject, 0), ("null", .expectedObject, 0),
    ])
    func `refuses a payload that two readers would read differently, or that is none`(
        _ text: String,
        _ reason: JSONError.Reason,
        _ offset: Int
    ) {
        #expect(throws: JSONError(reason: reason, offset: offset)) { try report(text) }
    }

    @Test func `refuses a payload beyond Apple's larger limit and nesting beyond 32 levels`() throws {
        let padding = 5_120 - #"{"x":""}"#.utf8.count
        #expect(try report(#"{"x":"\#(String(repeating: "a", count: padding))"}"#).byteCount == 5_120)
        #expect(throws: JSONError(reason: .tooLong(byteCountMax: 5_120), offset: 5_120)) {
            try report(#"{"x":"\#(String(repeating: "a", count: padding + 1))"}"#)
        }
        #expect(throws: JSONError(reason: .tooDeep(depthMax: 32), offset: 5 + 31)) {
            try report(#"{"x":\#(String(repeating: "[", count: 2_000))"#)
        }
    }

    @Test(arguments: [RunSeed.here()])
    func `no mutation of a payload traps or is taken for the original`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let placeholder = try Placeholder(localizationKey: "SP_NEW")
        let original = Payload.alert(placeholder: placeholder, envelope: .example(), trace: .example)
        let unchanged = try PayloadReport(payload: original)
        var readCount = 0
        for _ in 0..<300 {
            var payload = original
            // Mostly the clear parts, which have the structure.
            let isClear = Int.random(in: 0..<4, using: &random) > 0
            let position = isClear ? Int.random(in: 0..<70, using: &random) : Int.random(in: 0..<3_943, using: &random)
            payload[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            guard let report = try? PayloadReport(payload: payload) else { continue }  // Refused: nothing more to ask.
            readCount += 1
            #expect(report != unchanged, "seed \(seed), byte \(position)")
        }
        #expect(readCount > 10, "seed \(seed): \(readCount)")
    }
}
