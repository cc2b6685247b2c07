import Testing
import UserNotifications

@testable import ExtensionHarness

struct UserInfoValueTests {
    @Test func `what an extension puts into user info in Swift's types reads as JSON would`() {
        let value = UserInfoValue(["b": true, "i": 1, "d": 1.5, "s": "x", "l": [1, "y"] as [Any]] as [String: Any])
        let list: UserInfoValue = .array([.integer(1), .string("y")])
        #expect(
            value == .dictionary(["b": .bool(true), "i": .integer(1), "d": .double(1.5), "s": .string("x"), "l": list])
        )
    }

    @Test func `Foundation's types read as JSON would`() {
        let value = UserInfoValue(NSDictionary(dictionary: ["n": NSNumber(value: 2), "b": NSNumber(value: false)]))
        #expect(value == .dictionary(["n": .integer(2), "b": .bool(false)]))
        #expect(UserInfoValue(NSNull()) == .null)
    }

    @Test func `an object is known by its type only`() {
        #expect(UserInfoValue(Data([1, 2])) == .other(type: "Data"))
    }

    @Test func `a key that is not a string is left out`() {
        #expect(UserInfoValue.dictionary(of: [1: "x", "a": "y"]) == ["a": .string("y")])
    }

    @Test func `values survive the way into Foundation and back`() {
        let value: UserInfoValue = .dictionary([
            "null": .null, "true": .bool(true), "one": .integer(1), "max": .integer(.max), "half": .double(0.5),
            "text": .string("é\u{0}"), "list": .array([.bool(false), .dictionary([:])]),
        ])
        #expect(UserInfoValue(value.foundationValue) == value)
    }

    @Test func `nesting deeper than JSON may go is cut there`() {
        var nested: Any = "end"
        for _ in 0..<1_000 { nested = [nested] }
        var value = UserInfoValue(nested)
        var depth = 0
        while let inner = value.elements?.first {
            value = inner
            depth += 1
        }
        #expect(depth == 512)
        if case .other = value {} else { Issue.record("ends in \(value)") }
    }

    @Test func `accessors answer for their own case only`() {
        #expect(UserInfoValue.bool(true).number == nil && UserInfoValue.integer(2).number == 2)
        #expect(UserInfoValue.double(0.5).number == 0.5 && UserInfoValue.string("x").string == "x")
        #expect(UserInfoValue.null.string == nil && UserInfoValue.string("x").members == nil)
        #expect(UserInfoValue.array([.null]).elements == [.null] && UserInfoValue.dictionary([:]).elements == nil)
    }
}
