// Part of Apple's Intents for communication notifications. Left out: calls, handlers, shortcuts and NSSecureCoding.
// Source: https://developer.apple.com/documentation/usernotifications/implementing-communication-notifications
@_exported public import UserNotifications
