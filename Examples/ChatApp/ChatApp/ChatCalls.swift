import CallKit
import NotificationCore

/// The app's part in a call: it rings by `IncomingCalls`, and the person answers it or ends it here.
final class ChatCalls: NSObject, CXProviderDelegate {
    private let provider = CXProvider(configuration: CXProviderConfiguration())
    private let calls: IncomingCalls
    private let onAnswer: (String) -> Void

    /// - Parameters:
    ///   - groupFolder: the container of the app group; without it (nil) a call is reported, and ended.
    ///   - onToken: takes PushKit's token, on the main queue; nil when it is no longer valid.
    ///   - onAnswer: takes the caller's text, when the person answers.
    init(groupFolder: String?, onToken: @escaping (Data?) -> Void, onAnswer: @escaping (String) -> Void) {
        let opener = CallOpener(
            containerPath: groupFolder,
            keychainGroup: ChatDevice.sharedKeychainGroup,
            appName: "Acme Chat",
            keepsReceipts: true
        )
        calls = IncomingCalls(opener: opener, provider: provider, onToken: onToken)
        self.onAnswer = onAnswer
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    func providerDidReset(_ provider: CXProvider) {}

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = calls.call(action.callUUID) else { return action.fail() }
        onAnswer(call)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        _ = calls.call(action.callUUID)
        action.fulfill()
    }
}
