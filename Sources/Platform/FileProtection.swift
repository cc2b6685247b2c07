#if !canImport(Darwin)
private import CExtendedAttributes
#endif

/// The data protection class of a file or folder: from when on iOS lets it be opened or made.
///
/// Every file that an extension needs has one of its own. Otherwise it has its app's default, which an entitlement may make
/// `Complete`: then nothing can be opened while the device is locked. `CompleteUnlessOpen` would not do either: such a file
/// can be made while the device is locked and not be opened again.
///
/// - Source: Apple, `FileProtectionType` and "Encrypting Your App's Files".
package enum FileProtection: UInt8, Sendable, CaseIterable {
    /// At any time, also before the first unlock: for ciphertext alone. Made then only in a folder that has this class too.
    /// Apple's name for it is `none`.
    case always = 0x44
    /// Once the device was unlocked after its start.
    case untilFirstUnlock = 0x43

    /// Gives an open file or folder this class. On Linux a simulated device finds it as an extended attribute, in whatever
    /// process, and it stays with a file that is renamed.
    ///
    /// - Returns: nil, or the error code. Nil also where the file system has no classes: on a Mac, or without extended
    ///   attributes.
    package func set(on descriptor: Int32) -> Int32? {
        #if canImport(Darwin)
        // The kernel's number for the class: C is 3, D is 4.
        let result = fcntl(descriptor, F_SETPROTECTIONCLASS, Int32(rawValue) - 0x40)
        #else
        var letter = rawValue
        let result = unsafe extended_attribute_set(descriptor, Self.attribute, &letter, 1)
        #endif
        guard result != 0, errno != ENOTSUP, errno != EINVAL else { return nil }
        return errno
    }

    /// The same for a file or folder that is there.
    ///
    /// - Returns: nil, or the error code: `ENOENT` where there is none.
    package func set(at path: String) -> Int32? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return set(on: descriptor)
    }

    #if !canImport(Darwin)
    private static let attribute = "user.sealedpush.protection"

    /// What a simulated device knows of a path.
    package enum Found: Equatable {
        case absent
        /// Without a class of its own.
        case unmarked
        case marked(FileProtection)
    }

    package static func find(at path: String) -> Found {
        var letter: UInt8 = 0
        guard unsafe extended_attribute_get(path, attribute, &letter, 1) != 1 else {
            return FileProtection(rawValue: letter).map { .marked($0) } ?? .unmarked
        }
        return errno == ENOENT || errno == ENOTDIR ? .absent : .unmarked
    }
    #endif
}
