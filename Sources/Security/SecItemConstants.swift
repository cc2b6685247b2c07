// Apple's names, with the values that they have on iOS: an item's attributes come back under these.
// Source: https://developer.apple.com/documentation/security/keychain-services and the open source of SecItemConstants.

/// What kind of item; only generic passwords are kept here.
public let kSecClass: CFString = "class"
/// A generic password.
public let kSecClassGenericPassword: CFString = "genp"
/// An internet password.
public let kSecClassInternetPassword: CFString = "inet"
/// A key.
public let kSecClassKey: CFString = "keys"
/// A certificate.
public let kSecClassCertificate: CFString = "cert"
/// A certificate and its key.
public let kSecClassIdentity: CFString = "idnt"
/// Whose item: with service, group and synchronizable, what makes it one of a kind.
public let kSecAttrAccount: CFString = "acct"
/// The service that the item is for.
public let kSecAttrService: CFString = "svce"
/// The group of apps and extensions that share the item.
public let kSecAttrAccessGroup: CFString = "agrp"
/// Whether the item goes to the person's other devices.
public let kSecAttrSynchronizable: CFString = "sync"
/// Whether or not it does, in a query.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// When the item can be read.
public let kSecAttrAccessible: CFString = "pdmn"
/// The item's name for a person.
public let kSecAttrLabel: CFString = "labl"
/// What kind of item it is, for a person.
public let kSecAttrDescription: CFString = "desc"
/// A comment, for a person.
public let kSecAttrComment: CFString = "icmt"
/// Bytes of the app's own.
public let kSecAttrGeneric: CFString = "gena"
/// A number of the app's own.
public let kSecAttrType: CFString = "type"
/// A number of the app's own.
public let kSecAttrCreator: CFString = "crtr"
/// When the item was made.
public let kSecAttrCreationDate: CFString = "cdat"
/// When the item was last changed.
public let kSecAttrModificationDate: CFString = "mdat"
/// The secret itself.
public let kSecValueData: CFString = "v_Data"
/// Whether a query returns the secret.
public let kSecReturnData: CFString = "r_Data"
/// Whether a query returns everything about the item.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether a query returns a reference; not kept here.
public let kSecReturnRef: CFString = "r_Ref"
/// Whether a query returns a lasting reference; not kept here.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// How many items a query returns; one unless given.
public let kSecMatchLimit: CFString = "m_Limit"
/// One item.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, as an array.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
/// The keychain of iOS, on a Mac; the only one here.
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// Whether the person may be asked; nobody is here.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// The person may not be asked: the query fails.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// The person may not be asked: the item is passed over.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// While the device is unlocked: what an item is that does not say.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// While the device is unlocked, and never on another device.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Once the device was unlocked since it started.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Once the device was unlocked since it started, and never on another device.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// While the device is unlocked and has a passcode.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
