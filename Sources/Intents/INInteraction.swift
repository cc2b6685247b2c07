// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Interaction with an app, donated to the system for suggestions.
///
/// - Source: https://developer.apple.com/documentation/intents/ininteraction
open class INInteraction: NSObject, NSCopying {
    public let intent: INIntent
    public let intentResponse: INIntentResponse?
    open var direction = INInteractionDirection.unspecified
    open var dateInterval: DateInterval?
    open var identifier = UUID().uuidString
    open var groupIdentifier: String?

    public init(intent: INIntent, response: INIntentResponse?) {
        self.intent = intent
        intentResponse = response
    }

    open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        donateNow()
        Thread { completion?(nil) }.start()
    }

    open func donate() async throws { donateNow() }

    private func donateNow() {
        guard let provider = intent as? any CommunicationProviding else { return }
        CurrentNotificationSystem.current?.donate(provider.communication)
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Direction of an interaction, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/intents/ininteractiondirection
public enum INInteractionDirection: Int, Sendable {
    case unspecified
    case outgoing
    case incoming
}
