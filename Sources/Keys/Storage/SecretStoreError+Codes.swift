private import Platform

// Errors of files and Keychain in one set.
extension SecretStoreError {
    package init(_ error: FileError) {
        switch error {
        case .notFound: self = .notFound
        // iOS's answer for a locked file.
        case .system(_, _, EPERM), .system(_, _, EACCES): self = .locked
        case .system(let call, _, let code): self = .system(call: call, code: code)
        // A readable secret is trusted no more than a changed one.
        case .notARegularFile, .tooLarge, .empty, .exists, .permissionsTooLoose, .exampleKey, .publicKey, .privateKey,
            .malformed:
            self = .damaged
        }
    }

    /// Maps an `OSStatus` of the Keychain (Apple, "Security Framework Result Codes"). Plain numbers, testable without a
    /// Keychain.
    ///
    /// - Parameter status: not 0 (success).
    package init(keychainStatus status: Int32, call: String) {
        switch status {
        case -25_300: self = .notFound  // errSecItemNotFound
        case -25_308: self = .locked  // errSecInteractionNotAllowed
        case -26_275: self = .damaged  // errSecDecode
        // Includes -34018, errSecMissingEntitlement: a foreign access group.
        default: self = .system(call: call, code: status)
        }
    }

    /// errSecDuplicateItem: update instead of adding.
    package static let keychainDuplicate: Int32 = -25_299
}
