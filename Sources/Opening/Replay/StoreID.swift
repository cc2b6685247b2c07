/// Which replay window this is. The key ring keeps a copy: a window with another id, or of an older generation, was lost
/// or restored, and then every prekey is destroyed, since its messages could be shown again (protocol v1, rule 15).
package struct StoreID: Hashable, Sendable {
    static let idByteCount = 16

    /// 16 random bytes, drawn when the file was made.
    package let id: [UInt8]
    /// 1 for a new file; the app raises it together with the key ring's copy.
    package let generation: UInt64

    package init(id: [UInt8], generation: UInt64) {
        self.id = id
        self.generation = generation
    }

    /// Whether this window remembers all that the ring's copy stands for. A newer generation does: a process may end
    /// between the window's and the ring's, and the window's comes first.
    ///
    /// - Parameter copy: what a key ring says.
    /// - Returns: false for a window that was lost or restored.
    package func continues(_ copy: StoreID) -> Bool { id == copy.id && generation >= copy.generation }
}
