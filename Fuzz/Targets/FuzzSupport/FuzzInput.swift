/// The bytes of one execution, as libFuzzer lends them.
package struct FuzzInput {
    package let bytes: [UInt8]

    package init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The first byte, which chooses the meaning of the others.
    package var selector: UInt8 { bytes.first ?? 0 }

    package var rest: [UInt8] { Array(bytes.dropFirst()) }
}

extension [UInt8] {
    /// Cut or filled up, for layouts of one length that a fuzzer would seldom hit.
    package func fitted(to count: Int, filler: UInt8) -> [UInt8] {
        prefix(count) + [UInt8](repeating: filler, count: Swift.max(0, count - self.count))
    }
}

/// Ends the process if the claim does not hold: libFuzzer then keeps the input.
package func require(_ holds: Bool, _ claim: StaticString) {
    // `precondition` would not print its sentence in an optimised build.
    if !holds { fatalError("does not hold: \(claim)") }
}
