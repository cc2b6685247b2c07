import TestSupport

/// Programs of this package, which lie beside the test bundle.
public enum LineProgram {
    /// Where the program of that name is.
    public static func path(_ name: String) -> String { LineProcess.path(of: name) }
}
