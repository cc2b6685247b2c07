#if !canImport(CryptoKit)
private import CSodium

package enum SodiumLibrary {
    /// The loaded library's version, such as `1.0.18`, not that of the headers.
    package static var version: String { unsafe String(cString: sodium_version_string()) }
}
#endif
