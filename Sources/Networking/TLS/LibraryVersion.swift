import COpenSSL

/// Versions of the loaded (not compiled-against) libraries that parse untrusted input.
package enum LibraryVersion {
    /// `3.0.19`.
    package static var openSSL: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? ""
    }
}
