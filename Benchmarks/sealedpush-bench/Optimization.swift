import CommandLineTool

/// Detects a build without optimization, whose figures mean nothing.
enum Optimization {
    static func warnIfMissing() {
        guard !isThere else { return }
        Output.complain(
            "sealedpush-bench: figures of an unoptimised build mean nothing; build with --configuration release"
        )
    }

    /// Assertions are compiled in exactly when the optimizer is off.
    private static var isThere: Bool {
        var isThere = true
        assert(
            {
                isThere = false
                return true
            }()
        )
        return isThere
    }
}
