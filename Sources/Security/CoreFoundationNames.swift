public import Foundation

// Apple's Security speaks in types of Core Foundation, which Foundation on Linux keeps to itself. These are Swift's own
// types under those names, so that `query as CFDictionary` and `kSecClass as String` are conversions to what the value
// already is, and tutorial code compiles as it stands.

/// A dictionary of Core Foundation.
public typealias CFDictionary = [String: Any]
/// A string of Core Foundation.
public typealias CFString = String
/// Bytes of Core Foundation.
public typealias CFData = Data
/// A Boolean of Core Foundation.
public typealias CFBoolean = Bool
/// A number of bytes or elements.
public typealias CFIndex = Int
/// Any object: what a query returns is one of Foundation's, to be cast with `as? Data`.
public typealias CFTypeRef = AnyObject
/// A result code; 0 is success.
public typealias OSStatus = Int32

// Implicitly unwrapped as Apple's are: code in the wild says both `kCFBooleanTrue!` and `kCFBooleanTrue as Any`.
// swift-format-ignore
/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = true
// swift-format-ignore
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = false

/// Who frees the bytes of a `CFData`.
public struct CFAllocator: Sendable {
    fileprivate let frees: Bool
}

/// Nobody: the bytes belong to somebody else, and live as long as the data.
public let kCFAllocatorNull: CFAllocator? = CFAllocator(frees: false)

/// Bytes of somebody else as data.
///
/// - Parameters:
///   - allocator: Not used.
///   - bytes: The bytes.
///   - length: How many they are.
///   - bytesDeallocator: `kCFAllocatorNull`; the bytes are copied for any other.
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
