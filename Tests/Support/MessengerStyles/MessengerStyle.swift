internal import ElementXStyle
internal import HomeAssistantStyle
internal import MastodonStyle
internal import SessionStyle
internal import SignalStyle
public import UserNotifications

/// Extensions of this project's own making, in the styles of messengers.
public enum MessengerStyle: String, CaseIterable, Sendable {
    case signal, elementX, session, mastodon, homeAssistant

    /// Extension's principal object.
    public func make() -> UNNotificationServiceExtension {
        switch self {
        case .signal: SignalStyle.PrincipalClass.make()
        case .elementX: ElementXStyle.PrincipalClass.make()
        case .session: SessionStyle.PrincipalClass.make()
        case .mastodon: MastodonStyle.PrincipalClass.make()
        case .homeAssistant: HomeAssistantStyle.PrincipalClass.make()
        }
    }

    /// Members of a push beside `aps`, for a server of some behavior.
    public func members(_ behavior: MessengerServer.Behavior) -> String {
        let server = "https://\(MessengerServer.host)/\(behavior.rawValue)"
        switch self {
        case .signal: return #""queue":"\#(server)/queue.json""#
        case .elementX: return #""room_id":"!1:example.org","event":"\#(server)/event.json""#
        case .session: return #""swarm":"\#(server)/message.json""#
        case .mastodon:
            let text = #"{"notification_id":7,"title":"Ada","body":"followed you","icon":"\#(server)/ada.png"}"#
            return #""p":"\#(Data(text.utf8).base64EncodedString())""#
        case .homeAssistant:
            return """
                "attachments":[{"url":"\(server)/front.png","content-type":"public.png"},{"url":"\(server)/yard.jpg"},\
                {"url":"\(server)/bell.wav","content-type":"com.microsoft.waveform-audio"}],\
                "actions":[{"action":"OPEN","title":"Open"},{"action":"SAY","title":"Say","behavior":"textInput"}]
                """
        }
    }
}
