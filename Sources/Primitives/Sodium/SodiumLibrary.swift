#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CSodium

package enum SodiumLibrary {
    /// Version of the loaded library, such as `1.0.18`, not of the headers.
    package static var version: String { unsafe String(cString: sodium_version_string()) }
}
#endif
