// This module replaces Apple's PushKit, so that an app's code for VoIP pushes compiles unmodified on Linux and runs
// under ExtensionHarness; the package omits it on Apple platforms. Left out on purpose: complications, file providers,
// the method without a completion that iOS 11 replaced, and iOS 26.4's additions for apps in front. Source:
// https://developer.apple.com/documentation/pushkit and the framework's headers.
@_exported public import Foundation
