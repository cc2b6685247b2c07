/// The identity of a replay window; the key ring keeps a copy. Another id or an older generation means a lost or
/// restored window. Then every prekey is destroyed, since its messages could be shown again (protocol v1, rule 15).
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

    /// Checks that this window was neither lost nor restored. A newer generation is valid: the window's is raised
    /// first, and a process may end before the ring's.
    package func continues(_ copy: StoreID) -> Bool { id == copy.id && generation >= copy.generation }
}
