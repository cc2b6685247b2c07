import CValgrind

/// Decisions of one operation that depend on secrets, counted.
struct Check {
    private let name: String
    private let count: Int
    private let allowed: Int
    private let mustLeak: Bool

    /// Counts the decisions of `body`. Its result is kept, so that nothing is optimised away.
    ///
    /// - Parameter allowed: decisions that are public by design.
    init<Value: ~Copyable>(_ name: String, allowed: Int, _ body: () throws -> Value) rethrows {
        try self.init(name, allowed: allowed, mustLeak: false, body)
    }

    /// A leak on purpose, of which more than `allowed` decisions must be found.
    init<Value: ~Copyable>(planted name: String, allowed: Int = 0, _ body: () throws -> Value) rethrows {
        try self.init("planted: " + name, allowed: allowed, mustLeak: true, body)
    }

    private init<Value: ~Copyable>(
        _ name: String,
        allowed: Int,
        mustLeak: Bool,
        _ body: () throws -> Value
    ) rethrows {
        let before = cvalgrind_error_count()
        let value = try body()
        count = cvalgrind_error_count() - before
        Self.keep(value)
        self.name = name
        self.allowed = allowed
        self.mustLeak = mustLeak
    }

    private static func keep<Value: ~Copyable>(_ value: borrowing Value) {
        unsafe withUnsafePointer(to: value) { unsafe cvalgrind_keep($0) }
    }

    var isRight: Bool { mustLeak ? count > allowed : count <= allowed }

    var line: String {
        "\(isRight ? "ok  " : "LEAK") \(name): \(count) decisions on secrets, "
            + (mustLeak ? "more than \(allowed) must be found" : "\(allowed) allowed")
    }
}
