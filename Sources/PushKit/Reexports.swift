// This module stands in for Apple's PushKit, so that what an app does with VoIP pushes compiles unmodified on Linux and runs
// under ExtensionHarness; the package does not contain it on Apple platforms. Left out on purpose: complications, file
// providers, the method without a completion that iOS 11 replaced, and what iOS 26.4 added for apps that run in front.
// Source: https://developer.apple.com/documentation/pushkit and the framework's headers.
@_exported public import Foundation
