// A copy in an app has none of it: its other files' imports have no access level.
#if SEALEDPUSH_PACKAGE
package import CallKit
package import NotificationCore

/// Smallest app that takes calls: a provider, its delegate and `IncomingCalls`. Linux only, for the harness's
/// phones; Xcode does not compile this file.
package final class CallApp: NSObject, CXProviderDelegate {
    private let provider = CXProvider(configuration: CXProviderConfiguration())
    private let calls: IncomingCalls
    private let onAnswer: (UUID, String) -> Void

    /// - Parameters:
    ///   - onToken: Takes PushKit's token.
    ///   - onAnswer: Takes the call's id and the caller's text, when the person answers.
    package init(
        opener: CallOpener,
        onToken: @escaping (Data?) -> Void = { _ in },
        onAnswer: @escaping (UUID, String) -> Void
    ) {
        calls = IncomingCalls(opener: opener, provider: provider, onToken: onToken)
        self.onAnswer = onAnswer
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    package func providerDidReset(_ provider: CXProvider) {}

    package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = calls.call(action.callUUID) else { return action.fail() }
        onAnswer(action.callUUID, call)
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        _ = calls.call(action.callUUID)
        action.fulfill()
    }
}
#endif
