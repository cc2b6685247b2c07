import Testing

@testable import Localization

struct LocalizedFormatTests {
    @Test(
        arguments: [
            ("Hello", [], "Hello"), ("%@", ["Ada"], "Ada"), ("%@ and %@", ["Ada", "Bob"], "Ada and Bob"),
            ("%2$@ of %1$@", ["Ada", "Bob"], "Bob of Ada"), ("%1$@ %1$@", ["Ada"], "Ada Ada"),
            ("100 %% of %@", ["it"], "100 % of it"),
            ("%@ %1$@ %@", ["a", "b"], "a a b"), ("%%@", ["a"], "%@"), ("é%@👩‍👩‍👧%@", ["x", "y"], "éx👩‍👩‍👧y"),
        ] as [(String, [String], String)]
    )
    func `arguments stand in their places`(_ format: String, _ arguments: [String], _ text: String) {
        #expect(LocalizedFormat.string(format, arguments) == text)
    }

    @Test(arguments: [
        "%d", "%s", "%n", "%1$d", "%1$s", "%ld", "%5@", "%-5@", "%.3f", "%", "100 %", "%1$", "%1", "%$@", "%0$@",
        "%00000$@",
        "%99999$@", "%18446744073709551617$@", "%#@files@", "%*@", "% @",
    ])
    func `nothing else is a specifier, and it stays as it is written`(_ format: String) {
        #expect(LocalizedFormat.string(format, ["secret", "secret"]) == format)
    }

    @Test(
        arguments: [("<%@>", [], "<>"), ("%@%@", ["a"], "a"), ("%3$@!", ["a", "b"], "!"), ("%9999$@", ["a"], "")]
            as [(String, [String], String)]
    )
    func `an argument that is missing is nothing, or what the caller says`(
        _ format: String,
        _ arguments: [String],
        _ text: String
    ) {
        #expect(LocalizedFormat.string(format, arguments) == text)
        #expect(LocalizedFormat.string("%@", [], missing: "(null)") == "(null)")
    }

    @Test func `an argument is no format, and arguments that nobody asks for are not shown`() {
        #expect(LocalizedFormat.string("%@ %@", ["%2$@ %@ %%", "b"]) == "%2$@ %@ %% b")
        #expect(LocalizedFormat.string("Hello", ["a", "b"]) == "Hello")
    }

    @Test func `a format that repeats an argument without end ends`() {
        let format = String(repeating: "%1$@", count: 10_000)
        let text = LocalizedFormat.string(format, [String(repeating: "é", count: 2_000)])
        #expect(text.utf8.count <= LocalizedFormat.byteCountMax)
        #expect(text.utf8.count > LocalizedFormat.byteCountMax - 4_000)
    }
}
