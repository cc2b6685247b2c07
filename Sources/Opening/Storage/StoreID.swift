/// Which replay store, and which state of it: written into the store and into the key ring, so that a store that was
/// lost, or replaced by an older copy, is noticed while there are keys whose messages it remembers (protocol v1, rule 15).
package struct StoreID: Hashable, Sendable {
    static let idByteCount = 16

    /// 16 random bytes, made with the store.
    package let id: [UInt8]
    package let generation: UInt64

    package init(id: [UInt8], generation: UInt64) {
        precondition(id.count == Self.idByteCount)
        self.id = id
        self.generation = generation
    }
}
