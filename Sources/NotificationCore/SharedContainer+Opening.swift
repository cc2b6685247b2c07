import Envelope
import Keys
import Opening
import WebPush

// The extension's side.
extension SharedContainer {
    /// Replay window of app and extension; nil if unusable. Only the app makes one.
    var window: ReplayWindow? {
        do {
            return try ReplayWindow.ofProcess(folder: replayFolder, uptime: uptime)
        } catch {
            return nil
        }
    }
}

extension PushOpener {
    /// - Parameters:
    ///   - container: if nil, nothing opens.
    ///   - pushClass: another class's length is malformed.
    init(container: SharedContainer?, policy: OpeningPolicy, opensWebPush: Bool, pushClass: PushClass = .alert) {
        guard let container else {
            self.init(messages: .failure(.keysUnavailable), webPush: nil, replay: .unavailable)
            return
        }
        // Ring first: an app that opens meanwhile raises the window first, so that a window read later is not behind.
        let keyRing = container.keyRing
        let window = container.window
        self.init(
            messages: container.messageOpener(keyRing, window: window, policy: policy, pushClass: pushClass),
            webPush: { opensWebPush ? container.webPushOpener(of: $0) : .success(nil) },
            replay: window.map { .window($0) } ?? .unavailable
        )
    }
}

extension SharedContainer {
    fileprivate var keyRing: Result<KeyRing, PushOpenerError> {
        do throws(SecretStoreError) {
            return .success(try KeyRing(store: keyStore))
        } catch {
            return .failure(error == .locked ? .locked : .keysUnavailable)
        }
    }

    fileprivate func messageOpener(
        _ keyRing: Result<KeyRing, PushOpenerError>,
        window: ReplayWindow?,
        policy: OpeningPolicy,
        pushClass: PushClass
    ) -> Result<MessageOpener, PushOpenerError> {
        do {
            let keyRing = try keyRing.get()
            return .success(
                MessageOpener(
                    keyRing: keyRing,
                    contacts: try ContactDirectory(file: contactsPath),
                    replay: Self.replay(of: keyRing, window),
                    policy: policy,
                    pushClass: pushClass
                )
            )
        } catch let error as PushOpenerError {
            return .failure(error)
        } catch let error as FileError {
            return .failure(ContainerError(error) == .locked ? .locked : .keysUnavailable)
        } catch {
            return .failure(.keysUnavailable)
        }
    }

    /// A window that the ring does not name is another device's or a reinstalled app's, and would allow replays
    /// (protocol v1, rule 15). The app destroys these prekeys.
    private static func replay(of keyRing: KeyRing, _ window: ReplayWindow?) -> MessageOpener.ReplayProtection {
        guard let window else { return .unavailable }
        guard let named = keyRing.replayStore else { return .window(window) }
        return window.store.continues(named) ? .window(window) : .unavailable
    }

    /// Nil without readable keys for the push. A record is opened with one pair: that of its endpoint, if it names one.
    fileprivate func webPushOpener(of push: IncomingPush) -> Result<WebPushOpener?, PushOpenerError> {
        do throws(FileError) {
            if push.endpoint == .absent {
                return .success(WebPushOpener(keys: try WebPushKeys(keyFile: webPushKeysPath, exampleKeys: .refused)))
            }
            guard let id = try endpointID(of: push) else { return .success(nil) }
            return .success(WebPushOpener(keys: try endpointKeys.keys(id)))
        } catch {
            return ContainerError(error) == .locked ? .failure(.locked) : .success(nil)
        }
    }

    fileprivate func endpointID(of push: IncomingPush) throws(FileError) -> EndpointID? {
        guard let hint = push.endpointHint else { return nil }
        return try endpointKeys.id(hint: hint, trace: push.trace)
    }

    /// Name of the record that the push tells of; nil for another push, or one of no endpoint here.
    func recordName(of push: IncomingPush) -> String? {
        guard push.isReference, let trace = push.trace else { return nil }
        do throws(FileError) {
            return try endpointID(of: push).map { Base64URL.string($0.recordName(in: trace)) }
        } catch {
            return nil
        }
    }

    /// True if the push is for an endpoint that this account made. Names of files are readable while locked.
    func hasEndpoint(of push: IncomingPush) -> Bool {
        do throws(FileError) { return try endpointID(of: push) != nil } catch { return false }
    }
}
