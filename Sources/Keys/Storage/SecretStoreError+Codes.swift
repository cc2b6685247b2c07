private import Platform

// What files and the Keychain say, as one set of errors.
extension SecretStoreError {
    package init(_ error: FileError) {
        switch error {
        case .notFound: self = .notFound
        // What iOS answers for a file of a class that cannot be read yet.
        case .system(_, _, EPERM), .system(_, _, EACCES): self = .locked
        case .system(let call, _, let code): self = .system(call: call, code: code)
        // A file that others could read is not trusted any more than one that was changed.
        case .notARegularFile, .tooLarge, .empty, .exists, .permissionsTooLoose, .exampleKey, .publicKey, .privateKey,
            .malformed:
            self = .damaged
        }
    }

    /// What an `OSStatus` of the Keychain means (Apple, "Security Framework Result Codes"). A pure function of numbers,
    /// so that it is the same, and tested, where there is no Keychain.
    ///
    /// - Parameters:
    ///   - status: not 0 (success).
    ///   - call: which function returned it.
    package init(keychainStatus status: Int32, call: String) {
        switch status {
        case -25_300: self = .notFound  // errSecItemNotFound
        case -25_308: self = .locked  // errSecInteractionNotAllowed
        case -26_275: self = .damaged  // errSecDecode
        // Among them -34018, errSecMissingEntitlement: an access group that is not this process's.
        default: self = .system(call: call, code: status)
        }
    }

    /// errSecDuplicateItem: the record is there, and is to be updated instead of added.
    package static let keychainDuplicate: Int32 = -25_299
}
