// System's C library under one name, so that code of device and server needs no conditions.
#if SEALEDPUSH_APPLE_STANDINS
@_exported public import DarwinStandIn
#elseif canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif

/// Zeroing that no optimizer removes.
package enum Wiping {
    package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        _ = unsafe memset_s(start, bytes.count, 0, bytes.count)
        #else
        unsafe explicit_bzero(start, bytes.count)
        #endif
    }
}
