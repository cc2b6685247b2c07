import Testing

struct SnippetRuleTests {
    private static let source = """
        let device = Device { NotificationService() }

          device.conditions.lock = .locked
        let shown = device.deliver(push)
        """

    @Test(arguments: [
        "```swift\nlet shown = device.deliver(push)\n```",
        "```swift\n    let device = Device { NotificationService() }\n\n      device.conditions.lock = .locked\n```",
        "| x | `device.conditions.lock = .locked` |", "`device.conditions`", "`let x = 1`", "no code",
        "```\nlet elsewhere = 1\ndevice.x = `1` = 2\n```",
    ])
    func `code that stands in an example is not complained of`(_ text: String) {
        #expect(check(text) == [])
    }

    @Test(arguments: [
        "```swift\nlet shown = device.deliver(pushes)\n```",
        "```swift\nlet device = Device { NotificationService() }\nlet shown = device.deliver(push)\n```",
        "| x | `device.conditions.lock = .unlocked` |", "```swift\nlet shown = device.deliver(push)\n}\n```",
        "```\n```\n`device.conditions.lock = .open`", "```swift\nlet shown = device.deliver(push) \n```",
        "```swift\nlet device = Device { NotificationService() }\ndevice.conditions.lock = .locked\n```",
        "```swift\nlet device = Device { NotificationService() }\n\ndevice.conditions.lock = .locked\n```",
        "```swift\ndevice.deliver(push)\n```",
    ])
    func `code that stands nowhere is found`(_ text: String) {
        #expect(check(text).count == 1)
    }

    @Test func `the finding names the line`() {
        #expect(
            check("\n```swift\nlet x = 1\n```").map(\.description) == [
                "docs/a.md:2: no example has 'let x = 1' and what follows; show code that is compiled"
            ]
        )
    }

    @Test(arguments: [("go", 0), ("swift", 1)])
    func `only the language that is asked for is looked at`(_ language: String, _ findingCount: Int) {
        let text = "```go\nlet shown = device.deliver(push)\n```\n```swift\nlet x = 1\n```"
        #expect(check(text, language).count == findingCount)
        #expect(SnippetRules.blockCount(in: TextFile(path: "docs/a.md", text: text), language: language) == 1)
    }

    private func check(_ text: String, _ language: String = "swift") -> [Finding] {
        SnippetRules.check(
            TextFile(path: "docs/a.md", text: text),
            in: [TextFile(path: "Examples/A.swift", text: Self.source)],
            language: language
        )
    }
}
