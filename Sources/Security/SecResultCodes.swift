// Result codes of the functions here; iOS has more. Source:
// https://developer.apple.com/documentation/security/security-framework-result-codes

/// Success.
public let errSecSuccess: OSStatus = 0
/// Not supported here: another class than generic passwords, or a reference.
public let errSecUnimplemented: OSStatus = -4
/// Invalid query.
public let errSecParam: OSStatus = -50
/// Locked device: the item cannot be read now. Try again later.
public let errSecInteractionNotAllowed: OSStatus = -25_308
/// No such item, or none in a group of this process.
public let errSecItemNotFound: OSStatus = -25_300
/// Existing item.
public let errSecDuplicateItem: OSStatus = -25_299
/// No keychain: its file cannot be read or written.
public let errSecNotAvailable: OSStatus = -25_291
/// Damaged file of the keychain.
public let errSecDecode: OSStatus = -26_275
/// This process does not belong to the access group.
public let errSecMissingEntitlement: OSStatus = -34_018

/// Text of a result code, for a log.
///
/// - Parameters:
///   - status: Result code.
///   - reserved: `nil`.
/// - Returns: `nil` for a code of another module.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "Function or operation not implemented."
    case errSecParam: "One or more parameters passed to a function were not valid."
    case errSecInteractionNotAllowed: "User interaction is not allowed."
    case errSecItemNotFound: "The specified item could not be found in the keychain."
    case errSecDuplicateItem: "The specified item already exists in the keychain."
    case errSecNotAvailable: "No keychain is available."
    case errSecDecode: "Unable to decode the provided data."
    case errSecMissingEntitlement: "A required entitlement isn't present."
    default: nil
    }
}
