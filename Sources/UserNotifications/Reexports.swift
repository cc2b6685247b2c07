// Apple's UserNotifications re-exports Foundation, which on Apple platforms includes FoundationNetworking: an extension
// that imports only UserNotifications uses URLSession, and must compile here.
//
// Replaces the part that a service extension can reach, so that its source compiles unmodified on Linux; the package
// omits it on Apple platforms. Left out on purpose, so that a test that needs them does not compile, are an app's parts
// of UNUserNotificationCenter: permission, scheduling, categories and the delegate. Left out too: NSSecureCoding,
// `updating(from:)` (its argument comes from Intents), and `localizedUserNotificationString(forKey:arguments:)`.
// Source: https://developer.apple.com/documentation/usernotifications and the framework's headers.
@_exported public import Foundation
@_exported public import FoundationNetworking
