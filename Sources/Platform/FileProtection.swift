#if !canImport(Darwin)
private import CExtendedAttributes
#endif

/// Data protection class of a file or folder, which decides when iOS lets it be opened or created.
///
/// Every file that an extension needs has its own class. Otherwise the app's default applies, which an entitlement may
/// make `Complete`: nothing could then be opened on a locked device. `CompleteUnlessOpen` fails too: such a file can be
/// created on a locked device but not be opened again.
///
/// - Source: Apple, `FileProtectionType` and "Encrypting Your App's Files".
package enum FileProtection: UInt8, Sendable, CaseIterable {
    /// Available at any time, even before the first unlock, when only a folder of this class can get one: for
    /// ciphertext only. Apple's name is `none`.
    case always = 0x44
    /// Available once the device was unlocked after its start.
    case untilFirstUnlock = 0x43

    /// Gives an open file or folder this class. On Linux an extended attribute, which simulated devices in any process
    /// find, and which survives a rename.
    ///
    /// - Returns: nil, or the error code. Nil also on a file system without classes: on a Mac, or without extended
    ///   attributes.
    package func set(on descriptor: Int32) -> Int32? {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        // The kernel's number for the class: C is 3, D is 4.
        let result = fcntl(descriptor, F_SETPROTECTIONCLASS, Int32(rawValue) - 0x40)
        #else
        var letter = rawValue
        let result = unsafe extended_attribute_set(descriptor, Self.attribute, &letter, 1)
        #endif
        guard result != 0, errno != ENOTSUP, errno != EINVAL else { return nil }
        return errno
    }

    /// Gives an existing file or folder this class.
    ///
    /// - Returns: Nil, or the error code; `ENOENT` if nothing is there.
    package func set(at path: String) -> Int32? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return set(on: descriptor)
    }

    #if !canImport(Darwin)
    private static let attribute = "user.sealedpush.protection"

    /// Class of a path as a simulated device sees it.
    package enum Found: Equatable {
        case absent
        /// Without its own class.
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
