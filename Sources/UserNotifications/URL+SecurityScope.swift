import Foundation

extension URL {
    /// Nothing here is beyond the sandbox.
    ///
    /// - Returns: False: there is nothing to stop.
    public func startAccessingSecurityScopedResource() -> Bool { false }

    /// Has no effect.
    public func stopAccessingSecurityScopedResource() {}
}
