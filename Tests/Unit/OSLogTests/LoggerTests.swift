import Testing

@testable import os

/// A log's permitted content: texts that others may read.
struct LoggerTests {
    private let name = "Ada"

    @Test func `text is private unless it says that it is public`() {
        #expect(redacted("from \(name)") == "from <private>")
        #expect(redacted("from \(name, privacy: .public)") == "from Ada")
        #expect(redacted("from \(name, privacy: .private)") == "from <private>")
        #expect(redacted("from \(name, privacy: .auto)") == "from <private>")
        #expect(redacted("from \(name, privacy: .sensitive)") == "from <private>")
    }

    @Test func `numbers and Booleans are public unless they say that they are private`() {
        #expect(redacted("\(7) \(true) \(0.5)") == "7 true 0.5")
        #expect(redacted("\(7, privacy: .private) \(true, privacy: .private)") == "<private> <private>")
        #expect(redacted("\(255, format: .hex) \(8, format: .octal)") == "ff 10")
    }

    @Test func `a value that describes itself is private, and a type is not`() {
        #expect(redacted("\([1, 2])") == "<private>")
        #expect(redacted("\([1, 2], privacy: .public)") == "[1, 2]")
        #expect(redacted("\(Int.self)") == "Int")
        #expect(redacted("\(CancellationError() as any Error)") == "<private>")
    }

    @Test func `a masked value is the same each time, and not itself`() {
        let first = redacted("\(name, privacy: .private(mask: .hash))")
        #expect(first == redacted("\(name, privacy: .private(mask: .hash))") && first.hasPrefix("<mask.hash: "))
        #expect(!first.contains(name) && first != redacted("\("Eve", privacy: .private(mask: .hash))"))
    }

    @Test func `a message is one line`() {
        let line = LogOutput.line("one\ntwo", subsystem: "com.example", category: "push")
        #expect(line == "[com.example:push] one\\ntwo\n")
    }

    @Test func `levels have Apple's order, and another name is none`() {
        let levels = ["debug", "info", "default", "error", "fault"].map { LogOutput.importance($0) }
        #expect(levels == [0, 1, 2, 3, 4] && LogOutput.importance("loud") == nil)
    }

    @Test func `what tutorials write compiles`() {
        let logger = Logger(subsystem: "com.example", category: "push")
        logger.debug("received \(self.name, privacy: .public)")
        logger.log(level: .info, "count \(3)")
        logger.warning("careful")
        os_log("old style %d", log: .default, type: .error, 3)
        os_log(.info, "new style %{public}@", name)
    }

    private func redacted(_ message: OSLogMessage) -> String { message.redacted }
}
