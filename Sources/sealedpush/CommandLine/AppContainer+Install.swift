import Glibc
import Keys
import NotificationCore
import Opening

extension AppContainer {
    /// The app's first launch: its keys and its pinned senders go where the extension finds them.
    func install(_ keys: borrowing DeviceKeys, _ contacts: ContactList) throws(FileError) {
        do throws(SharedContainer.InstallError) {
            try SharedContainer(path: groupPath).install(keys: keys, contacts: contacts)
        } catch {
            switch error {
            case .file(let error): throw error
            case .keys(.store(.system(let call, let code))), .window(.system(let call, let code)):
                throw .system(call: call, path: groupPath, code: code)
            case .keys, .window: throw .malformed(path: groupPath, expected: "a folder for keys")
            }
        }
    }
}
