import Glibc
import Keys
import NotificationCore
import Opening
import Platform

extension AppContainer {
    /// At the app's first launch.
    func install(_ keys: borrowing DeviceKeys, _ contacts: ContactList) throws(FileError) {
        try PrivateFolder.make(privatePath, protection: .untilFirstUnlock)
        do throws(SharedContainer.InstallError) {
            try SharedContainer(path: groupPath).install(
                keys: keys,
                contacts: contacts,
                identityStore: FileSecretStore(folder: privatePath + "/identity")
            )
        } catch {
            switch error {
            case .file(let error): throw error
            case .keys(.store(.system(let call, let code))), .window(.system(let call, let code)),
                .container(.system(let call, let code)):
                throw .system(call: call, path: groupPath, code: code)
            case .container, .keys, .window: throw .malformed(path: groupPath, expected: "a folder for keys")
            }
        }
    }

    var hasApp: Bool { unsafe access(privatePath + "/identity", F_OK) == 0 }
}
