import TestSupport

/// Programs of this package, which lie beside the test bundle.
public enum LineProgram {
    /// Path of a program.
    public static func path(_ name: String) -> String { LineProcess.path(of: name) }
}
