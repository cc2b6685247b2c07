/// Source of random bytes.
public struct SecRandomRef: Sendable {}

/// System's generator, the only one.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes of the system.
///
/// - Parameters:
///   - rnd: `kSecRandomDefault`.
///   - count: Number of bytes.
///   - bytes: Memory for them.
/// - Returns: `errSecSuccess`, or `errSecParam` for a negative count.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var system = SystemRandomNumberGenerator()
    for offset in 0..<count {
        unsafe bytes.storeBytes(of: UInt8.random(in: 0...255, using: &system), toByteOffset: offset, as: UInt8.self)
    }
    return errSecSuccess
}
