import CNGHTTP2
import COpenSSL

/// Versions of the loaded (not compiled-against) libraries that parse untrusted input.
package enum LibraryVersion {
    /// `3.0.19`.
    package static var openSSL: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? ""
    }

    /// `1.52.0`.
    package static var nghttp2: String {
        guard let information = unsafe nghttp2_version(0) else { return "" }
        return unsafe String(cString: information.pointee.version_str)
    }
}
