// Apple's UserNotifications re-exports Foundation, and on Apple platforms Foundation holds what Linux keeps in
// FoundationNetworking: an extension that imports only UserNotifications still uses URLSession, and must compile here.
//
// This module stands in for the part of Apple's that a notification service extension can reach, so that an extension's
// source compiles unmodified on Linux; the package does not contain it on Apple platforms. Left out on purpose: what only
// an app has a use for in UNUserNotificationCenter, which is permission, scheduling, categories and the delegate (a test
// that needs it should say so by not compiling), NSSecureCoding, `updating(from:)` (its argument comes from Intents, which
// does not exist here), and `localizedUserNotificationString(forKey:arguments:)`.
// Source: https://developer.apple.com/documentation/usernotifications and the framework's headers.
@_exported public import Foundation
@_exported public import FoundationNetworking
