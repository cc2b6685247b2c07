// Apple's UserNotifications re-exports Foundation, which on Apple platforms includes FoundationNetworking: an extension
// that imports only UserNotifications uses URLSession, and must compile here.
//
// Replaces the part that a service extension can reach, so that its source compiles unmodified on Linux; the package
// omits it on Apple platforms. Left out on purpose, so that a test that needs them does not compile: permission and the
// delegate, which are the app's; NSSecureCoding; `localizedUserNotificationString(forKey:arguments:)`; triggers by place.
// Source: https://developer.apple.com/documentation/usernotifications and the framework's headers.
@_exported public import AppleFoundation
