/// The hash of a trace, of a device, of an apns-id or of a capability's hash, and an entry that has it.
struct TracePair: Equatable {
    let hash: Int64
    let entry: Int64

    static func hash(trace: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(trace)
        return Int64(bitPattern: sum.value)
    }

    /// - Parameter apnsID: its 16 bytes.
    /// - Returns: what its entry is looked for by.
    static func hash(apnsID: [UInt8]) -> Int64 { hash(trace: apnsID) }

    /// - Parameter receipt: the 32 bytes of an entry's `receiptHash`.
    /// - Returns: what its entry is looked for by: 48 bits, as many as the place of a chunk of them has room for.
    static func hash(receipt: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(receipt)
        return Int64(sum.value >> 16)
    }

    /// - Parameters:
    ///   - device: its id.
    ///   - tenant: by number.
    /// - Returns: what its entries are looked for by.
    static func hash(device: [UInt8], tenant: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(UInt64(bitPattern: tenant))
        sum.add(device)
        return Int64(bitPattern: sum.value)
    }

    /// The order of pairs in a run: by their hashes, and the newest of one hash last.
    static func < (left: TracePair, right: TracePair) -> Bool {
        (left.hash, left.entry) < (right.hash, right.entry)
    }
}
