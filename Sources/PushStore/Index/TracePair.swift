/// Hash (of a trace, device, apns-id or receipt hash) and its entry.
struct TracePair: Equatable {
    let hash: Int64
    let entry: Int64

    static func hash(trace: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(trace)
        return Int64(bitPattern: sum.value)
    }

    static func hash(apnsID: [UInt8]) -> Int64 { hash(trace: apnsID) }

    /// - Returns: 48 bits, the room in a chunk's row number.
    static func hash(receipt: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(receipt)
        return Int64(sum.value >> 16)
    }

    static func hash(device: [UInt8], tenant: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(UInt64(bitPattern: tenant))
        sum.add(device)
        return Int64(bitPattern: sum.value)
    }

    /// Orders by hash, then age, newest last.
    static func < (left: TracePair, right: TracePair) -> Bool {
        (left.hash, left.entry) < (right.hash, right.entry)
    }
}
