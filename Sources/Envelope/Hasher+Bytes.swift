extension Hasher {
    /// Hashes all bytes at once; an array's own hash takes one after the other.
    package mutating func combine(bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) } }
}
