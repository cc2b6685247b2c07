/// Identity of a replay window, copied in the key ring. Another id or older generation means a lost or restored window:
/// every prekey is destroyed, as its messages could be shown again (protocol v1, rule 15).
package struct StoreID: Hashable, Sendable {
    static let idByteCount = 16

    /// 16 random bytes.
    package let id: [UInt8]
    /// 1 for a new file; raised together with the key ring's copy.
    package let generation: UInt64

    package init(id: [UInt8], generation: UInt64) {
        self.id = id
        self.generation = generation
    }

    /// False for a lost or restored window. A newer generation is valid: the window's is raised first, and a process
    /// may end before the ring's.
    package func continues(_ copy: StoreID) -> Bool { id == copy.id && generation >= copy.generation }
}
