import Envelope
import Keys
import Opening

extension SharedContainer {
    /// - Returns: nil if the keys cannot be read now.
    fileprivate func holds(_ id: PrekeyID) -> Bool? {
        do throws(SecretStoreError) {
            return try KeyRing(store: keyStore).hasHeld(id)
        } catch {
            // The app has made no keys.
            return error == .notFound ? false : nil
        }
    }
}

extension [SharedContainer] {
    /// - Parameter accounts: of an app with several; empty for one without a name.
    init(path: String?, accounts: [AccountName]) {
        guard let path else {
            self = []
            return
        }
        self =
            accounts.isEmpty
            ? [SharedContainer(path: path)] : accounts.map { SharedContainer(path: path, account: $0) }
    }

    /// Accounts that may have a push's prekey.
    ///
    /// - Returns: the account of the endpoint, or of the ring with the prekey; else those whose keys cannot be read, else the first.
    ///   `isKnown` is false unless the push is the first one's.
    func accounts(of push: IncomingPush) -> (accounts: [SharedContainer], isKnown: Bool) {
        if count > 1, let account = first(where: { $0.hasEndpoint(of: push) }) { return ([account], true) }
        guard count > 1, let id = push.envelope.flatMap({ PrekeyID($0.header.prekeyID) }) else {
            return (Array(prefix(1)), count == 1)
        }
        var unread: [SharedContainer] = []
        for account in self {
            switch account.holds(id) {
            case true?: return ([account], true)
            case false?: continue
            case nil: unread.append(account)
            }
        }
        return (unread.isEmpty ? Array(prefix(1)) : unread, false)
    }
}
