// Apple's names, with their values on iOS: an item's attributes come back under these. Source:
// https://developer.apple.com/documentation/security/keychain-services and the open source of SecItemConstants.

/// Class of an item; only generic passwords are supported here.
public let kSecClass: CFString = "class"
/// Generic password.
public let kSecClassGenericPassword: CFString = "genp"
/// Internet password.
public let kSecClassInternetPassword: CFString = "inet"
/// A key.
public let kSecClassKey: CFString = "keys"
/// A certificate.
public let kSecClassCertificate: CFString = "cert"
/// Certificate and its key.
public let kSecClassIdentity: CFString = "idnt"
/// Account of an item; with service, group and synchronizable it makes the item unique.
public let kSecAttrAccount: CFString = "acct"
/// Service of an item.
public let kSecAttrService: CFString = "svce"
/// Group of apps and extensions that share the item.
public let kSecAttrAccessGroup: CFString = "agrp"
/// True for an item that is synchronized to the person's other devices.
public let kSecAttrSynchronizable: CFString = "sync"
/// Matches synchronized items and others, in a query.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// Accessibility: the time from which the item can be read.
public let kSecAttrAccessible: CFString = "pdmn"
/// Item's name for a person.
public let kSecAttrLabel: CFString = "labl"
/// Description of the item's kind for a person.
public let kSecAttrDescription: CFString = "desc"
/// Comment for a person.
public let kSecAttrComment: CFString = "icmt"
/// Bytes for the app's own use.
public let kSecAttrGeneric: CFString = "gena"
/// Number for the app's own use.
public let kSecAttrType: CFString = "type"
/// Number for the app's own use.
public let kSecAttrCreator: CFString = "crtr"
/// Date of the item's creation.
public let kSecAttrCreationDate: CFString = "cdat"
/// Date of the item's last change.
public let kSecAttrModificationDate: CFString = "mdat"
/// Secret itself.
public let kSecValueData: CFString = "v_Data"
/// Asks a query to return the secret.
public let kSecReturnData: CFString = "r_Data"
/// Asks a query to return all attributes.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Asks a query to return a reference; not supported here.
public let kSecReturnRef: CFString = "r_Ref"
/// Asks a query to return a persistent reference; not supported here.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// Maximum number of items that a query returns; one unless given.
public let kSecMatchLimit: CFString = "m_Limit"
/// One item.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, as an array.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
/// Selects iOS's keychain on a Mac; here it is the only one.
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// Permission to ask the person; without effect here.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Never asks the person: the query fails.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Never asks the person: the item is skipped.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// While the device is unlocked; the default of an item.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// While the device is unlocked, and never on another device.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Once the device was unlocked since it started.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Once the device was unlocked since it started, and never on another device.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// While the device is unlocked and has a passcode.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
