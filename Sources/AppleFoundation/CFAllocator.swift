// Foundation on Linux does not export Core Foundation's types. These are Swift types under
// those names: `query as CFDictionary` and `kSecClass as String` convert a value to its own type, and tutorial code
// compiles unchanged.

/// Dictionary of Core Foundation.
public typealias CFDictionary = [String: Any]
/// String of Core Foundation.
public typealias CFString = String
/// Bytes of Core Foundation.
public typealias CFData = Data
/// Boolean of Core Foundation.
public typealias CFBoolean = Bool
/// Number of bytes or elements.
public typealias CFIndex = Int
/// Seconds.
public typealias CFTimeInterval = TimeInterval
/// Any object: a query's result is one of Foundation's, to be cast with `as? Data`.
public typealias CFTypeRef = AnyObject
/// Result code; 0 is success.
public typealias OSStatus = Int32

// Implicitly unwrapped as Apple's are: existing code has both `kCFBooleanTrue!` and `kCFBooleanTrue as Any`.
// swift-format-ignore
/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = true
// swift-format-ignore
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = false

/// Owner of a `CFData`'s bytes.
public struct CFAllocator: Sendable {
    fileprivate let frees: Bool
}

/// Frees nothing: the caller keeps the bytes alive as long as the data.
public let kCFAllocatorNull: CFAllocator? = CFAllocator(frees: false)

/// Wraps the caller's bytes as data.
///
/// - Parameters:
///   - allocator: not used.
///   - bytes: first byte.
///   - length: number of bytes.
///   - bytesDeallocator: `kCFAllocatorNull`; any other copies the bytes.
/// - Returns: `nil` for no bytes.
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator?,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: CFIndex,
    _ bytesDeallocator: CFAllocator?
) -> CFData? {
    guard let bytes = unsafe bytes, length >= 0 else { return nil }
    guard let bytesDeallocator, !bytesDeallocator.frees else { return unsafe Data(bytes: bytes, count: length) }
    let start = unsafe UnsafeMutableRawPointer(mutating: bytes)
    return unsafe Data(bytesNoCopy: start, count: length, deallocator: .none)
}
