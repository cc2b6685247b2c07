#if !canImport(CryptoKit)
private import CSodium

/// The library that does the arithmetic of keys.
package enum SodiumLibrary {
    /// As it names itself, `1.0.18`: of what was loaded, and not of what was compiled against.
    package static var version: String { unsafe String(cString: sodium_version_string()) }
}
#endif
